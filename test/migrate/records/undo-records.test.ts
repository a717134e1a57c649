import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { importFrom, undoImport } from "../../../src/migrate/import/import.ts"
import { quarantineFile } from "../../../src/store/files/quarantine-file.ts"
import { ensureSession } from "../../../src/work/session/session.ts"
import { countsOf } from "../../support/old-project.ts"
import { by } from "../../support/records.ts"
import { projectOf, sortedTitles, sourceOf, taskNamed } from "../import/imported.ts"

it("undoes an import completely, and it can be repeated", async () => {
  const hive = await projectOf("beads")
  const empty = countsOf(hive)
  const path = sourceOf(hive, "beads")
  writeFileSync(path, `${readFileSync(path, "utf8")}not json\n`)
  const first = await importFrom(hive, "beads", path)
  const full = countsOf(hive)
  expect(quarantineFile(hive.home).count()).toBe(1)
  const planned = await undoImport(hive, "beads", { dryRun: true })
  expect(countsOf(hive)).toEqual(full)
  expect(await undoImport(hive, "beads")).toEqual(planned)
  expect(planned).toMatchObject({ dropped: first.taken, kept: { count: 0 } })
  expect(countsOf(hive)).toEqual(empty)
  expect(quarantineFile(hive.home).count()).toBe(0)
  expect((await importFrom(hive, "beads", path)).sources).toEqual(first.sources)
  expect(countsOf(hive)).toEqual(full)
  await undoImport(hive, "beads")
  expect(countsOf(hive)).toEqual(empty)
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
    'task "Even fewer sailings": the record was changed since',
  ])
  const { state } = hive.store.read()
  const titles = sortedTitles(state.task.values())
  expect(titles).toEqual(["Dogs on board (hb-7g)", "Even fewer sailings", "Ours"])
})

it("moves read-heads off removed records, and keeps the records of another tool", async () => {
  const hive = await projectOf("task-master")
  const caller = { session: "ses_1", agent: "build", tool: "test" }
  await importFrom(hive, "task-master", sourceOf(hive, "task-master"))
  await hive.store.write(by, (tx) => ensureSession(tx, caller, hive.source.now(), null))
  const memory = join(hive.dir, "memory.jsonl")
  writeFileSync(memory, '{"type":"entity","name":"Gull","entityType":"ship","observations":[]}')
  await importFrom(hive, "mcp-memory", memory)
  await undoImport(hive, "task-master")
  const { state } = hive.store.read()
  expect([...state.trajectory.values()].map(({ active_plan_id }) => active_plan_id)).toEqual([null])
  expect([state.plan.size, state.task.size, state.mem.size]).toEqual([0, 0, 1])
})
