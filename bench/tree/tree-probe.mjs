// Times the look at the tree after calls of several sorts. Prints one line of JSON.
// usage: tree-probe.mjs <project> <rounds>

import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { analyzeCall } from "../../build/gate/call.js"
import { readCommand } from "../../build/gate/shell/read-command.js"
import { openHiveIn } from "../../build/hive/open.js"
import { readCall } from "../../build/hosts/opencode/calls.js"
import { fingerprintTree } from "../../build/project/tree/fingerprint.js"
import { treeWitness } from "../../build/turns/tree-witness.js"
import { updateSession } from "../../build/work/focus/update.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, rounds] = process.argv.slice(2)
const session = "ses_bench"
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
await updateSession(hive, { session, agent: "build", tool: "bench" }, { level: "action", content: "Work" })
const log = (level, message, error) => {
  if (level === "error") throw new Error(message, { cause: error })
}
const tree = treeWitness(project, log)
const read = (command, cwd) => readCommand(command, { project, cwd })
let ids = 0
const callOf = (tool, args) =>
  analyzeCall(readCall({ id: `call_${ids++}`, session, agent: "build", tool, args }), {
    projectDir: project,
    directory: project,
    read,
  })
const write = (n, text) => writeFileSync(`${project}/src/part-${n % 20}/file-${n % 100}.ts`, text)

const sorts = {
  "a call that cannot write": {
    call: () => callOf("read", { filePath: `${project}/a` }),
    run: () => {},
    changed: 0,
  },
  "a command that changes nothing": {
    call: () => callOf("bash", { command: "node x.js" }),
    run: () => {},
    changed: 0,
  },
  "a command that changes a file": {
    call: () => callOf("bash", { command: "node x.js" }),
    run: (n) => write(n, `${n}\n`),
    changed: 1,
  },
  "the same, 500 files being changed already": {
    before: () => {
      for (let n = 0; n < 500; n++) writeFileSync(`${project}/src/part-${n % 20}/new-${n}.ts`, "x")
    },
    call: () => callOf("bash", { command: "node x.js" }),
    run: (n) => write(n, `again ${n}\n`),
    changed: 1,
  },
}

await tree.begin(hive, callOf("bash", { command: "node x.js" }))
const times = {}
// Taking turns with a look, so that a busy machine slows both alike.
const status = []
times["a fingerprint of the tree"] = []
for (let n = 0; n < Number(rounds) / 10; n++) {
  const started = performance.now()
  await fingerprintTree(project)
  times["a fingerprint of the tree"].push(performance.now() - started)
}
for (const [name, { before, call, run, changed }] of Object.entries(sorts)) {
  before?.()
  await tree.end(hive, callOf("bash", { command: "node x.js" }))
  times[name] = []
  for (let n = 0; n < Number(rounds); n++) {
    const made = call()
    await tree.begin(hive, made)
    run(n)
    const started = performance.now()
    const found = await tree.end(hive, made)
    times[name].push(performance.now() - started)
    if (name === "a command that changes nothing") status.push(await gitAlone())
    if (found.length !== changed) throw new Error(`${name}: found ${found.length} files`)
  }
}
// How long the event loop is held in one go, with as much to do as there is.
const blocks = watchBlocks()
for (let n = 0; n < 10; n++) {
  const made = callOf("bash", { command: "node x.js" })
  await tree.begin(hive, made)
  for (let at = 0; at < 500; at++) write(at, `all ${n} ${at}\n`)
  await blocks.timed("look", () => tree.end(hive, made))
}
blocks.stop()
await hive.store.close()
console.log(JSON.stringify({ times, status, held_ms: blocks.busiest["look"] }))

async function gitAlone() {
  const started = performance.now()
  const args = ["--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall"]
  await new Promise((resolve) => execFile("git", args, { cwd: project, maxBuffer: 1 << 26 }, resolve))
  return performance.now() - started
}
