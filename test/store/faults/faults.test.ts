import { afterAll, expect, it } from "vitest"
import { longRun } from "../../support/effort.ts"
import { families } from "./families.ts"
import { openLab, type Struck } from "./lab.ts"
import { isGood, type Row, renderTable } from "./table.ts"

// Runs the built code (npm test builds first). `npm run test:long -- faults` takes every step and records the table.
const titles: Readonly<Record<keyof typeof families, string>> = {
  kills:
    "killed before a call of a write, a fold or an undo, with others at work: nothing that was acknowledged is lost",
  stops:
    "stopped before a call, and woken after others have taken over: nothing that it does counts against theirs",
  failures: "a call that fails: what is refused is not in force, unless the error says that it may be",
  power:
    "power cut after a call: acknowledged writes are there, the folder can be read and written, and status is right",
  clock: "clocks that jump back an hour or forward a year: nothing is lost, and the log stays in order",
  deleted: "a hive that is deleted under running processes: what is written afterwards is there for all",
  sync: "killed during a sync: nothing is lost, and later syncs make the clones equal",
  damage: "damage to any file is told, or changes nothing",
  locks: "a lock that a process left behind when it died: the next one takes it over, and nothing is lost",
  format: "a hive of a newer format is read, and no byte of it is changed",
  races: "clones that sync at the same moment: at the end each has everything",
  refs: "damaged refs of the log: nothing is lost, and later syncs make the clones equal",
  readers: "as-of, log and undo beside folds: nothing is short, nothing is not found",
  crowd: "many processes with mixed operations: nothing is lost, and the log does not fork",
}

const all: Row[] = []
afterAll(() => {
  if (longRun) process.stdout.write(`${renderTable(all)}\n`)
})

for (const [name, { long, short }] of Object.entries(families)) {
  it(`${titles[name]}`, async ({ task }) => {
    await using lab = openLab()
    const rows = await (longRun ? long : short)(lab)
    Object.assign(task.meta, {
      table: rows.map(({ lost, wrong, ...row }) => ({ ...row, lost: lost.length, wrong: wrong.length })),
    })
    all.push(...rows)
    expect(
      rows.filter((row) => !isGood(row)),
      renderTable(rows),
    ).toEqual([])
    expect(rows.every(({ tries }) => tries > 0)).toBe(true)
  })
}

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
