// Takes and restores snapshots in a process of its own. Prints a line of JSON per job.
// usage: snapshot-process.mjs <project> take|calls|restore <name of the process, count or id>
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { openSnapshots } from "../../build/snapshots/snapshots.js"
import { DEFAULT_LIMITS } from "../../build/snapshots/take-snapshot.js"
import { carryOut, planRestore } from "../../build/work/restore/restore.js"

const [project, job, argument] = process.argv.slice(2)
const settings = { ...DEFAULT_LIMITS, keepDays: 14, maxBytes: 1 << 30 }
const snapshots = openSnapshots(project, () => settings, Date.now)
const call = { session: job, turn: null, tool: "bash", command: argument ?? null, task: null }
const print = (found) => process.stdout.write(`${JSON.stringify(found)}\n`)

if (job === "take") {
  const before = await snapshots.take()
  const record = snapshots.begin(call, before, false)
  writeFileSync(join(project, "by-the-call.txt"), "call\n")
  await snapshots.end(record, await snapshots.take(), false)
  print(record.number)
}
if (job === "calls") {
  for (let n = 0; n < 4; n++) {
    const record = snapshots.begin(call, await snapshots.take(), true)
    writeFileSync(join(project, `${argument}.txt`), `${argument} ${n}\n`)
    writeFileSync(join(project, `.env.${argument}`), `${argument} ${n}\n`)
    const ended = await snapshots.end(record, await snapshots.take(), true)
    print({ number: ended.number, n })
  }
}
if (job === "restore") {
  const plan = await planRestore(snapshots, argument, { refs: true })
  const { written, failed } = await carryOut(snapshots, plan, call)
  print({ written, failed })
}
