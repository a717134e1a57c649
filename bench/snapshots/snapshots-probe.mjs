// Times snapshots of a work tree against `git status`, taking turns. Prints one line of JSON.
// usage: snapshots-probe.mjs <project> <rounds> <files of an install> <calls>
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { openSnapshots } from "../../build/snapshots/snapshots.js"
import { DEFAULT_LIMITS } from "../../build/snapshots/take-snapshot.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, rounds, installed, calls] = process.argv.slice(2)
const settings = { ...DEFAULT_LIMITS, keepDays: 14, maxBytes: 1 << 30 }
let clock = Date.now
const snapshots = openSnapshots(
  project,
  () => settings,
  () => clock(),
)
const blocks = watchBlocks()
const change = (round, count) => {
  for (let n = 0; n < count; n++)
    writeFileSync(`${project}/src/part-${n % 20}/file-${n}.ts`, `export const changed = ${round} + ${n}\n`)
}
const install = () => {
  for (let n = 0; n < Number(installed); n++) {
    if (n % 100 === 0) mkdirSync(`${project}/node_modules/package-${n / 100}`, { recursive: true })
    writeFileSync(`${project}/node_modules/package-${Math.floor(n / 100)}/file-${n}.js`, `${n}\n`)
  }
}

const sorts = {
  "nothing changed": { before: () => {}, each: () => {} },
  "ten files changed": { before: () => {}, each: (n) => change(n, 10) },
  "after an install, ignored": { before: install, each: () => {} },
  "after an install, not ignored": {
    before: () => writeFileSync(`${project}/.gitignore`, "nothing\n"),
    each: () => {},
  },
}

const first = await timed(() => snapshots.take())
const found = {}
for (const [name, { before, each }] of Object.entries(sorts)) {
  before()
  // Files as old as an index are read again until it is written anew, as any command of a user's does.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  change("settled", 1)
  await gitStatus("status")
  await snapshots.take()
  const [looks, status] = [[], []]
  for (let n = 0; n < Number(rounds); n++) {
    each(n)
    const look = async () => looks.push(await blocks.timed(name, () => timed(() => snapshots.take())))
    const git = async () => status.push(await timed(() => gitStatus("--no-optional-locks", "status")))
    if (n % 2 === 0) await look().then(git)
    else await git().then(look)
  }
  found[name] = { looks, status, held_ms: blocks.busiest[name] }
}
blocks.stop()
const starts = []
for (let n = 0; n < Number(rounds); n++)
  starts.push(await timed(() => new Promise((resolve) => execFile("git", ["--version"], resolve))))
rmSync(`${project}/node_modules`, { recursive: true })

const growth = {}
if (Number(calls) > 0) {
  growth.before = (await snapshots.size()).bytes
  const call = { session: "s", turn: null, tool: "bash", command: "x", task: null }
  for (let n = 0; n < Number(calls); n++) {
    const record = snapshots.begin(call, await snapshots.take(), false)
    change(`call ${n}`, 3)
    await snapshots.end(record, await snapshots.take(), false)
  }
  growth.after = (await snapshots.size()).bytes
  clock = () => Date.now() + 86_400_000
  await snapshots.prune()
  growth.packed = (await snapshots.size()).bytes
}
console.log(JSON.stringify({ first, found, growth, starts }))

async function timed(job) {
  const started = performance.now()
  await job()
  return performance.now() - started
}

function gitStatus(...args) {
  const all = [...args, "--porcelain=v2", "-z", "-uall"]
  return new Promise((resolve) => execFile("git", all, { cwd: project, maxBuffer: 1 << 28 }, resolve))
}
