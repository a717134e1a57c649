import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import type { SourceRecord } from "../../../src/migrate/records/report.ts"
import { writeRecords } from "../../../src/migrate/records/write-records.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { quarantineFile } from "../../../src/store/files/quarantine-file.ts"
import { fileHive } from "../../support/file-hive.ts"
import { aMem, anAnchor, aPhase, aPlan, aTask, by, uuid } from "../../support/records.ts"

const tree: SourceRecord[] = [
  { from: "a.json 1", records: [{ kind: "plan", record: aPlan(1, { status: "archived" }) }] },
  { from: "a.json 2", records: [{ kind: "phase", record: aPhase(2, 1, { status: "completed" }) }] },
  {
    from: "a.json 3",
    records: [
      { kind: "task", record: aTask(3, 1, 2, { status: "completed" }) },
      { kind: "mem", record: aMem(4, { origin_task_id: uuid(3) }) },
    ],
    note: "title cut",
  },
]

it("reports an unreadable file, and keeps no quarantine row of it", async () => {
  const hive = await fileHive()
  const unread: SourceRecord = { from: "a.json", quarantine: "cannot be read", original: undefined }
  const { sources, quarantined } = await writeRecords(hive, stream([unread]), { by })
  expect(sources.quarantined).toBe(1)
  expect(quarantined).toEqual([{ from: "a.json", reason: "cannot be read" }])
  expect(quarantineFile(hive.home).count()).toBe(0)
})

it("counts every source record, and a second run finds all of it there", async () => {
  const hive = await fileHive()
  const all: SourceRecord[] = [
    ...tree,
    { from: "a.json 4", quarantine: "no text", original: { id: 7 } },
    { from: "a.json 5", ignore: "of a past session" },
    { from: "a.json 6", ignore: "of a past session" },
  ]
  const first = await writeRecords(hive, stream(all), { by, files: () => ["a.json"] })
  expect(first).toEqual({
    files: ["a.json"],
    sources: { total: 6, taken: 3, already: 0, quarantined: 1, ignored: 2 },
    taken: { plan: 1, phase: 1, task: 1, mem: 1 },
    quarantined: [{ from: "a.json 4", reason: "no text" }],
    ignored: [{ reason: "of a past session", count: 2, example: "a.json 5" }],
    notes: [{ note: "title cut", count: 1, example: "a.json 3" }],
  })
  const log = await hive.store.log()
  const second = await writeRecords(hive, stream(all), { by })
  expect(second.sources).toEqual({ total: 6, taken: 0, already: 3, quarantined: 1, ignored: 2 })
  expect(await hive.store.log()).toEqual(log)
  const kept = readFileSync(hivePaths(hive.home).quarantine, "utf8")
  expect(
    kept
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ by: "test", from: "a.json 4", reason: "no text", original: { id: 7 } }])
})

it("quarantines a record that breaks a rule, and those that depend on it", async () => {
  const hive = await fileHive()
  const broken = aTask(5, 1, 2, { title: "" })
  const child = aTask(6, 1, 2, { parent_task_id: uuid(5), type: "sub" })
  const report = await writeRecords(
    hive,
    stream([
      ...tree,
      { from: "b 1", records: [{ kind: "task", record: broken }] },
      { from: "b 2", records: [{ kind: "task", record: child }] },
      { from: "b 3", records: [{ kind: "task", record: aTask(7, 1, 2) }] },
    ]),
    { by },
  )
  expect(report.sources).toMatchObject({ total: 6, taken: 4, quarantined: 2 })
  expect(report.quarantined.map(({ from }) => from)).toEqual(["b 1", "b 2"])
  expect([...hive.store.read().state.task.keys()]).toEqual([uuid(3), uuid(7)])
})

it("a dry run reports the same as a real one, and writes nothing", async () => {
  const hive = await fileHive()
  await writeRecords(hive, stream(tree), { by })
  const before = await hive.store.log()
  const more: SourceRecord[] = [
    ...tree,
    { from: "c 1", records: [{ kind: "task", record: aTask(8, 1, 2, { depends_on: [uuid(3)] }) }] },
    { from: "c 2", records: [{ kind: "task", record: aTask(9, 1, 99) }] },
  ]
  const dry = await writeRecords(hive, stream(more), { by, dryRun: true })
  expect(await hive.store.log()).toEqual(before)
  expect(dry.sources).toEqual({ total: 5, taken: 1, already: 3, quarantined: 1, ignored: 0 })
  expect(dry).toEqual(await writeRecords(hive, stream(more), { by }))
})

it("fills empty fields from a second copy of a record", async () => {
  const hive = await fileHive()
  const copies: SourceRecord[] = [
    ...tree,
    { from: "d 1", records: [{ kind: "mem", record: aMem(10, { origin_task_id: uuid(3) }) }] },
    { from: "d 2", records: [{ kind: "mem", record: aMem(10, { tags: ["auth"] }) }] },
  ]
  const report = await writeRecords(hive, stream(copies), { by })
  expect(report.sources).toMatchObject({ taken: 4, already: 1 })
  expect(hive.store.read().state.mem.get(uuid(10))).toMatchObject({ tags: ["auth"], origin_task_id: uuid(3) })
})

it("does not change records that were there before", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1, { key: "DB", value: "mine" })))
  const report = await writeRecords(
    hive,
    stream([
      { from: "e 1", records: [{ kind: "anchor", record: anAnchor(1, { key: "DB", value: "old" }) }] },
      { from: "e 2", records: [{ kind: "anchor", record: anAnchor(2, { key: "db", value: "older" }) }] },
    ]),
    { by },
  )
  expect(report.sources).toMatchObject({ already: 1, quarantined: 1 })
  expect([...hive.store.read().state.anchor.values()].map(({ value }) => value)).toEqual(["mine"])
})

async function* stream(all: readonly SourceRecord[]): AsyncIterable<SourceRecord> {
  yield* all
}
