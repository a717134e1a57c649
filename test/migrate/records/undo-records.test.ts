import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { recordsOf } from "../../../src/graph/state.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { importFrom, undoImport } from "../../../src/migrate/import/import.ts"
import { kinds } from "../../../src/schemas/records.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { ensureSession } from "../../../src/work/session/session.ts"
import { by } from "../../support/records.ts"
import { projectOf, sourceOf, taskNamed } from "../import/imported.ts"

function sizesOf(hive: Hive): Record<string, number> {
  const { state } = hive.store.read()
  return Object.fromEntries(kinds.map((kind) => [kind, recordsOf(state, kind).size]))
}

it("undoes an import completely, and it can be repeated", async () => {
  const hive = await projectOf("beads")
  const empty = sizesOf(hive)
  const path = sourceOf(hive, "beads")
  writeFileSync(path, `${readFileSync(path, "utf8")}not json\n`)
  const first = await importFrom(hive, "beads", path)
  const full = sizesOf(hive)
  expect(readFileSync(hivePaths(hive.home).quarantine, "utf8")).toContain("not json")
  const planned = await undoImport(hive, "beads", { dryRun: true })
  expect(sizesOf(hive)).toEqual(full)
  expect(await undoImport(hive, "beads")).toEqual(planned)
  expect(planned).toMatchObject({ dropped: first.taken, kept: { count: 0 } })
  expect(sizesOf(hive)).toEqual(empty)
  expect(
    existsSync(hivePaths(hive.home).quarantine) && readFileSync(hivePaths(hive.home).quarantine, "utf8"),
  ).toBeFalsy()
  expect((await importFrom(hive, "beads", path)).sources).toEqual(first.sources)
  expect(sizesOf(hive)).toEqual(full)
  await undoImport(hive, "beads")
  expect(sizesOf(hive)).toEqual(empty)
})

it("keeps records that were changed or depended on since, with the reason", async () => {
  const hive = await projectOf("beads")
  await importFrom(hive, "beads", sourceOf(hive, "beads"))
  const own = { id: "0b8f3b3e-8a3c-4a52-9f4e-0d9d1c7d3a11", title: "Ours" }
  const fares = taskNamed(hive, "Fewer sailings")
  await hive.store.write(by, (tx) => {
    tx.set("task", fares.id, { title: "Even fewer sailings" })
    tx.add("task", { ...fares, ...own, depends_on: [taskNamed(hive, "Dogs on board").id] })
  })
  const { kept } = await undoImport(hive, "beads")
  expect(kept.examples.map(({ name, why }) => `${name}: ${why}`).sort()).toEqual([
    'phase "Inbox": a task that stays depends on it',
    'phase "Inbox": a task that stays depends on it',
    'plan "Beads: issues without an epic": a task that stays depends on it',
    'plan "Winter timetable (hb-ad)": a task that stays depends on it',
    'task "Dogs on board (hb-7g)": a task that stays depends on it',
    'task "Even fewer sailings": changed since',
  ])
  const { state } = hive.store.read()
  expect([...state.task.values()].map(({ title }) => title).sort()).toEqual([
    "Dogs on board (hb-7g)",
    "Even fewer sailings",
    "Ours",
  ])
})

it("moves read-heads off removed records, and keeps the records of another tool", async () => {
  const hive = await projectOf("task-master")
  const caller = { session: "ses_1", agent: "build", tool: "test" }
  await importFrom(hive, "task-master", sourceOf(hive, "task-master"))
  await hive.store.write(by, (tx) => ensureSession(tx, caller, hive.source.now(), null))
  writeFileSync(
    join(hive.dir, "memory.jsonl"),
    '{"type":"entity","name":"Gull","entityType":"ship","observations":[]}',
  )
  await importFrom(hive, "mcp-memory", join(hive.dir, "memory.jsonl"))
  await undoImport(hive, "task-master")
  const { state } = hive.store.read()
  expect([...state.trajectory.values()].map(({ active_plan_id }) => active_plan_id)).toEqual([null])
  expect({ plans: state.plan.size, tasks: state.task.size, mems: state.mem.size }).toEqual({
    plans: 0,
    tasks: 0,
    mems: 1,
  })
})
