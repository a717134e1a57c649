import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { longRun, trials } from "../../support/effort.ts"
import { workInCrowd } from "./crowd.ts"
import { damageFiles } from "./damage.ts"
import { failEachCall } from "./failures.ts"
import { deleteHive, jumpClocks } from "./jumps.ts"
import { killBeforeEachCall } from "./kills.ts"
import { everyCall, fewCalls, inLanes, type Lab, openLab, type Struck } from "./lab.ts"
import { leaveLocks, meetNewerFormat } from "./leftovers.ts"
import { cutPower } from "./power.ts"
import { readBesideFolds } from "./readers.ts"
import { damageRefs, raceSyncs } from "./refs.ts"
import { stopBeforeEachCall } from "./stops.ts"
import { killDuringSync } from "./sync-kills.ts"
import { addTry, isGood, newRow, type Row } from "./table.ts"

// The trials run the built code, by the title of their test. `npm test` runs a sample; `npm run test:long -- faults`
// runs them completely and records the rows.
const families: Record<string, (lab: Lab) => Promise<Row[]>> = {
  "killed before a call of a write, a fold or an undo, with others at work: nothing that was acknowledged is lost":
    (lab) => killBeforeEachCall(lab, longRun ? everyCall : fewCalls(8)),
  "stopped before a call, and woken after others have taken over: nothing that it does counts against theirs":
    (lab) => stopBeforeEachCall(lab, longRun ? everyCall : fewCalls(16), trials(1, 4)),
  "a call that fails: what is refused is not in force, unless the error says that it may be": (lab) =>
    failEachCall(lab, !longRun, trials(1, 3)),
  "power cut after a call: acknowledged writes are there, the folder can be read and written, and status is right":
    (lab) =>
      cutPower(
        lab,
        longRun ? { cuts: 40, states: 3, lanes: 8 } : { cuts: 1, states: 1, lanes: 1, isSample: true },
      ),
  "clocks that jump back an hour or forward a year: nothing is lost, and the log stays in order": (lab) =>
    jumpClocks(lab, trials(20, 400)),
  "a hive that is deleted under running processes: what is written afterwards is there for all": (lab) =>
    deleteHive(lab, trials(1, 10)),
  "killed during a sync: nothing is lost, and later syncs make the clones equal": (lab) =>
    killDuringSync(lab, trials(40, 1)),
  "damage to any file is told, or changes nothing": async () =>
    longRun ? damageInBatches(10_000) : [await damageFiles(0, 150)],
  "as-of, log and undo beside folds: nothing is short, nothing is not found": (lab) =>
    readBesideFolds(lab, trials(6, 100)),
  "a lock that a process left behind when it died: the next one takes it over, and nothing is lost": (lab) =>
    leaveLocks(lab, trials(1, 5)),
  "a hive of a newer format is read, and no byte of it is changed": (lab) =>
    meetNewerFormat(lab, trials(1, 10)),
  "clones that sync at the same moment: at the end each has everything": (lab) =>
    raceSyncs(lab, trials(4, 100)),
  "damaged refs of the log: nothing is lost, and later syncs make the clones equal": (lab) =>
    damageRefs(lab, !longRun),
  "many processes with mixed operations: nothing is lost, and the log does not fork": (lab) =>
    workInCrowd(lab, trials(4, 8), trials(60, 500)),
}

it.for(Object.entries(families))("%s", async ([, run], { task }) => {
  await using lab = openLab()
  const rows = await run(lab)
  Object.assign(task.meta, {
    table: rows.map(({ lost, wrong, ...row }) => ({ ...row, lost: lost.length, wrong: wrong.length })),
  })
  expect(rows.filter((row) => !isGood(row))).toEqual([])
  expect(rows.every(({ tries }) => tries > 0)).toBe(true)
})

it("a write whose sync fails is not acknowledged: the error says that it is in the log and may not last", async () => {
  await using lab = openLab()
  const process = await lab.start()
  const dir = lab.folder()
  await process.run({ do: "open", dir })
  await process.run({ do: "append", dir })
  const fault = { do: "fail", code: "EIO", only: ["fdatasync"], at: 1 } as const
  for (const write of ["append", "plan"] as const) {
    const { error } = await process.run<Struck>({ do: "struck", fault, command: { do: write, dir } })
    expect(error, write).toMatchObject({ name: "HiveError", code: "unconfirmed" })
  }
})

/** One process per few hundred cases. A process that hangs or fills the memory is ended and reported. */
async function damageInBatches(count: number): Promise<Row[]> {
  const starts = Array.from({ length: count / BATCH }, (_, n) => n * BATCH)
  let all: Row | undefined
  await inLanes([1, 2], starts, async (_lane, start) => {
    const { wrong, ...row } = await damageBatch(start)
    all ??= newRow(row.fault)
    addTry(all, { ...row, wrong }, "damage")
  })
  return all === undefined ? [] : [all]
}

function damageBatch(start: number): Promise<Row> {
  const args = ["--max-old-space-size=300", "--import", "tsx", script, String(start), String(BATCH)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const hung = setTimeout(() => child.kill("SIGKILL"), BATCH_MS)
  let out = ""
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
  })
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(hung)
      const ended = `${start} to ${start + BATCH} ended with ${code ?? signal}`
      resolve(code === 0 ? (JSON.parse(out) as Row) : { ...newRow("damage"), wrong: [ended] })
    })
  })
}

const BATCH = 500
// Long enough for a busy machine; a process that takes longer hangs.
const BATCH_MS = 20 * 60_000
const script = fileURLToPath(new URL("./damage-batch.ts", import.meta.url))
