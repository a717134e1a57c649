import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import type { Found } from "../../src/migrate/found.ts"
import { landFound } from "../../src/migrate/land.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { quarantineFile } from "../../src/store/files/quarantine-file.ts"
import { fileHive } from "../support/file-hive.ts"
import { aMem, anAnchor, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"

const tree: Found[] = [
  { from: "a.json 1", take: [{ kind: "plan", record: aPlan(1, { status: "archived" }) }] },
  { from: "a.json 2", take: [{ kind: "phase", record: aPhase(2, 1, { status: "completed" }) }] },
  {
    from: "a.json 3",
    take: [
      { kind: "task", record: aTask(3, 1, 2, { status: "completed" }) },
      { kind: "mem", record: aMem(4, { origin_task_id: uuid(3) }) },
    ],
    note: "title cut",
  },
]

it("tells of a file that nobody could read, and keeps no row of it that outlives its mending", async () => {
  const hive = await fileHive()
  const unread: Found = { from: "a.json", quarantine: "cannot be read", original: undefined }
  const { sources, quarantined } = await landFound(hive, stream([unread]), { by })
  expect(sources.quarantined).toBe(1)
  expect(quarantined).toEqual([{ from: "a.json", reason: "cannot be read" }])
  expect(quarantineFile(hive.home).count()).toBe(0)
})

it("counts every source record, and a second run finds all of it there", async () => {
  const hive = await fileHive()
  const all: Found[] = [
    ...tree,
    { from: "a.json 4", quarantine: "no text", original: { id: 7 } },
    { from: "a.json 5", ignore: "of a past session" },
    { from: "a.json 6", ignore: "of a past session" },
  ]
  const first = await landFound(hive, stream(all), { by, files: () => ["a.json"] })
  expect(first).toEqual({
    files: ["a.json"],
    sources: { total: 6, taken: 3, already: 0, quarantined: 1, ignored: 2 },
    taken: { plan: 1, phase: 1, task: 1, mem: 1 },
    quarantined: [{ from: "a.json 4", reason: "no text" }],
    ignored: [{ reason: "of a past session", count: 2, example: "a.json 5" }],
    notes: [{ note: "title cut", count: 1, example: "a.json 3" }],
  })
  const log = await hive.store.log()
  const second = await landFound(hive, stream(all), { by })
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

it("puts a record that breaks a rule into quarantine alone, with what leans on it", async () => {
  const hive = await fileHive()
  const broken = aTask(5, 1, 2, { title: "" })
  const child = aTask(6, 1, 2, { parent_task_id: uuid(5), type: "sub" })
  const report = await landFound(
    hive,
    stream([
      ...tree,
      { from: "b 1", take: [{ kind: "task", record: broken }] },
      { from: "b 2", take: [{ kind: "task", record: child }] },
      { from: "b 3", take: [{ kind: "task", record: aTask(7, 1, 2) }] },
    ]),
    { by },
  )
  expect(report.sources).toMatchObject({ total: 6, taken: 4, quarantined: 2 })
  expect(report.quarantined.map(({ from }) => from)).toEqual(["b 1", "b 2"])
  expect([...hive.store.read().state.task.keys()]).toEqual([uuid(3), uuid(7)])
})

it("tells in a dry run what the real one does, and writes nothing", async () => {
  const hive = await fileHive()
  await landFound(hive, stream(tree), { by })
  const before = await hive.store.log()
  const more: Found[] = [
    ...tree,
    { from: "c 1", take: [{ kind: "task", record: aTask(8, 1, 2, { depends_on: [uuid(3)] }) }] },
    { from: "c 2", take: [{ kind: "task", record: aTask(9, 1, 99) }] },
  ]
  const dry = await landFound(hive, stream(more), { by, dryRun: true })
  expect(await hive.store.log()).toEqual(before)
  expect(dry.sources).toEqual({ total: 5, taken: 1, already: 3, quarantined: 1, ignored: 0 })
  expect(dry).toEqual(await landFound(hive, stream(more), { by }))
})

it("takes from a second copy of the same record what the first does not know", async () => {
  const hive = await fileHive()
  const copies: Found[] = [
    ...tree,
    { from: "d 1", take: [{ kind: "mem", record: aMem(10, { origin_task_id: uuid(3) }) }] },
    { from: "d 2", take: [{ kind: "mem", record: aMem(10, { tags: ["auth"] }) }] },
  ]
  const report = await landFound(hive, stream(copies), { by })
  expect(report.sources).toMatchObject({ taken: 4, already: 1 })
  expect(hive.store.read().state.mem.get(uuid(10))).toMatchObject({ tags: ["auth"], origin_task_id: uuid(3) })
})

it("leaves what was there before as it is", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1, { key: "DB", value: "mine" })))
  const report = await landFound(
    hive,
    stream([
      { from: "e 1", take: [{ kind: "anchor", record: anAnchor(1, { key: "DB", value: "old" }) }] },
      { from: "e 2", take: [{ kind: "anchor", record: anAnchor(2, { key: "db", value: "older" }) }] },
    ]),
    { by },
  )
  expect(report.sources).toMatchObject({ already: 1, quarantined: 1 })
  expect([...hive.store.read().state.anchor.values()].map(({ value }) => value)).toEqual(["mine"])
})

async function* stream(all: readonly Found[]): AsyncIterable<Found> {
  yield* all
}
