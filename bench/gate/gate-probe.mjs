// Times the gate, as the host calls it before every tool, on a graph of some size. Prints one line of JSON.
// usage: gate-probe.mjs <project> <rounds>

import { NO_USER_WORK } from "../../build/gate/destructive.js"
import { openHiveIn } from "../../build/hive/open.js"
import { readCall } from "../../build/hosts/opencode/calls.js"
import { beforeCall } from "../../build/turns/before-call.js"
import { lastMessages } from "../../build/turns/user-message.js"
import { updateSession } from "../../build/work/focus/update.js"
import { longInputs } from "./long-inputs.mjs"

const [project, rounds] = process.argv.slice(2)
const session = "ses_bench"
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: { governance: "strict" } },
})
await updateSession(
  hive,
  { session, agent: "build", tool: "bench" },
  { level: "action", content: "The task at hand" },
)
const calls = new Map()
const log = (level, message, error) => {
  if (level === "error") throw new Error(message, { cause: error })
}
const gate = beforeCall(
  {
    hive: async () => hive,
    place: hive,
    directory: project,
    userHome: "/home/nobody",
    log,
    // What a snapshot costs is measured apart.
    tree: { begin: async () => {}, refused() {}, atRisk: async () => NO_USER_WORK },
    lastMessages: lastMessages(),
  },
  calls,
)

const cases = {
  write: (n) => ({ tool: "write", args: { filePath: `${project}/src/file-${n % 50}.ts`, content: "x" } }),
  bash: (n) => ({
    tool: "bash",
    args: { command: `npm test -- file-${n % 50} && git status --short | head -20` },
  }),
  read: (n) => ({ tool: "read", args: { filePath: `${project}/src/file-${n % 50}.ts` } }),
}
const times = {}
for (const [name, make] of Object.entries(cases)) {
  times[name] = []
  for (let n = 0; n < Number(rounds) + 50; n++) {
    const call = { id: `call_${name}_${n}`, session, agent: "build", ...make(n) }
    const started = performance.now()
    await gate(readCall(call))
    if (n >= 50) times[name].push(performance.now() - started)
  }
}
const long = []
for (const [n, input] of longInputs(Number(rounds) / 4).entries()) {
  const spent = []
  for (let round = 0; round < 3; round++) {
    const call = { id: `call_long_${n}_${round}`, session: "ses_long", agent: "build", ...input }
    const before = process.cpuUsage()
    await gate(readCall(call))
    const { user, system } = process.cpuUsage(before)
    spent.push((user + system) / 1000)
  }
  long.push(Math.min(...spent))
}
await hive.store.close()
console.log(JSON.stringify({ times, long }))
