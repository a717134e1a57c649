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
  const { sources, quarantined } = await writeRecords(hive, [unread], { by })
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
  const first = await writeRecords(hive, all, { by, files: () => ["a.json"] })
  expect(first).toEqual({
    files: ["a.json"],
    sources: { total: 6, taken: 3, already: 0, quarantined: 1, ignored: 2 },
    taken: { plan: 1, phase: 1, task: 1, mem: 1 },
    quarantined: [{ from: "a.json 4", reason: "no text" }],
    ignored: [{ reason: "of a past session", count: 2, example: "a.json 5" }],
    notes: [{ note: "title cut", count: 1, example: "a.json 3" }],
  })
  const log = await hive.store.log()
  const second = await writeRecords(hive, all, { by })
  expect(second.sources).toEqual({ total: 6, taken: 0, already: 3, quarantined: 1, ignored: 2 })
  expect(await hive.store.log()).toEqual(log)
  const [kept = "", ...others] = readFileSync(hivePaths(hive.home).quarantine, "utf8").trimEnd().split("\n")
  expect(JSON.parse(kept)).toEqual({ by: "test", from: "a.json 4", reason: "no text", original: { id: 7 } })
  expect(others).toEqual([])
})

it("quarantines a record that breaks a rule, and those that depend on it", async () => {
  const hive = await fileHive()
  const broken = aTask(5, 1, 2, { title: "" })
  const child = aTask(6, 1, 2, { parent_task_id: uuid(5), type: "sub" })
  const more: SourceRecord[] = [broken, child, aTask(7, 1, 2)].map((record, n) => {
    return { from: `b ${n + 1}`, records: [{ kind: "task", record }] }
  })
  const report = await writeRecords(hive, [...tree, ...more], { by })
  expect(report.sources).toMatchObject({ total: 6, taken: 4, quarantined: 2 })
  expect(report.quarantined.map(({ from }) => from)).toEqual(["b 1", "b 2"])
  expect([...hive.store.read().state.task.keys()]).toEqual([uuid(3), uuid(7)])
})

it("a dry run reports the same as a real one, and writes nothing", async () => {
  const hive = await fileHive()
  await writeRecords(hive, tree, { by })
  const before = await hive.store.log()
  const more: SourceRecord[] = [
    ...tree,
    { from: "c 1", records: [{ kind: "task", record: aTask(8, 1, 2, { depends_on: [uuid(3)] }) }] },
    { from: "c 2", records: [{ kind: "task", record: aTask(9, 1, 99) }] },
  ]
  const dry = await writeRecords(hive, more, { by, dryRun: true })
  expect(await hive.store.log()).toEqual(before)
  expect(dry.sources).toEqual({ total: 5, taken: 1, already: 3, quarantined: 1, ignored: 0 })
  expect(dry).toEqual(await writeRecords(hive, more, { by }))
})

it("fills empty fields from a second copy of a record", async () => {
  const hive = await fileHive()
  const copies: SourceRecord[] = [
    ...tree,
    { from: "d 1", records: [{ kind: "mem", record: aMem(10, { origin_task_id: uuid(3) }) }] },
    { from: "d 2", records: [{ kind: "mem", record: aMem(10, { tags: ["auth"] }) }] },
  ]
  const report = await writeRecords(hive, copies, { by })
  expect(report.sources).toMatchObject({ taken: 4, already: 1 })
  expect(hive.store.read().state.mem.get(uuid(10))).toMatchObject({ tags: ["auth"], origin_task_id: uuid(3) })
})

it("does not change records that were there before", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1, { key: "DB", value: "mine" })))
  const old: SourceRecord[] = [
    { from: "e 1", records: [{ kind: "anchor", record: anAnchor(1, { key: "DB", value: "old" }) }] },
    { from: "e 2", records: [{ kind: "anchor", record: anAnchor(2, { key: "db", value: "older" }) }] },
  ]
  const report = await writeRecords(hive, old, { by })
  expect(report.sources).toMatchObject({ already: 1, quarantined: 1 })
  expect([...hive.store.read().state.anchor.values()].map(({ value }) => value)).toEqual(["mine"])
})
