import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { compactionContext } from "../../src/context/compaction/prompt.ts"
import { emptyState } from "../../src/graph/state.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { saveAnchor } from "../../src/knowledge/anchor/anchors.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { recallKnown } from "../../src/knowledge/recall/recall.ts"
import { migrateAutomatically } from "../../src/migrate/automatic.ts"
import { beginMigration, migrate } from "../../src/migrate/migrate.ts"
import { withLegacyFiles } from "../../src/migrate/open-with-legacy.ts"
import { readIntoMemory, readThroughStore } from "../../src/migrate/read-through.ts"
import { undoMigration } from "../../src/migrate/undo-migration.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { packedState } from "../../src/views/context/injected.ts"
import { listAnchorRows } from "../../src/views/lists/mems.ts"
import { listTasks } from "../../src/views/lists/tasks.ts"
import { countsOf as viewCounts } from "../../src/views/status.ts"
import { failTask } from "../../src/work/task/finish.ts"
import { startTask } from "../../src/work/task/start.ts"
import { connectedAt } from "../support/connected.ts"
import { gitRepo } from "../support/git-repo.ts"
import { countsOf, oldProject, recordTexts } from "../support/old-project.ts"
import { aPlan, by } from "../support/records.ts"
import { anyCommand } from "../tools/call-tool.ts"
import { taskNamed } from "./import/imported.ts"

const LAYOUTS = ["g0", "g1", "g2", "g3", "idumb-1", "idumb-2", "mixed", "damaged", "half-migrated"]

it("until the migration, turns, compactions and lists show old records, and nothing is written", async () => {
  const graph = await oldProject("g1")
  const before = statSync(join(graph.home, ".hivemind")).mtimeMs
  const hive = await withLegacyFiles(graph)
  await seesTheOldFiles(hive)
  expect(countsOf(graph)).toEqual({})
  expect(statSync(join(graph.home, ".hivemind")).mtimeMs).toBe(before)
})

it("after the migration every record exists once, and is read from the graph", async () => {
  const graph = await oldProject("g1")
  const hive = await withLegacyFiles(graph)
  const old = countsOf(hive)
  await migrateAutomatically(hive)
  await seesTheOldFiles(hive)
  expect(countsOf(hive)).toEqual(countsOf(graph))
  expect(countsOf(graph)).toEqual(old)
  expect(hive.store.read().state).toBe(graph.store.read().state)
})

it.each(LAYOUTS)("shows of %s the records that the migration makes of it", async (layout) => {
  const graph = await oldProject(layout)
  const hive = await withLegacyFiles(graph)
  const shown = allOf(hive)
  expect(shown.length).toBeGreaterThan(0)
  await migrate(hive)
  expect(shown).toEqual(allOf(graph))
})

it("an old task can be changed before the migration, which makes no second one", async () => {
  const graph = await oldProject("g1")
  const hive = await withLegacyFiles(graph)
  const task = taskNamed(hive, "Rotate the token")
  await startTask(hive, caller, task.id)
  await failTask(hive, caller, task.id, "The key service has none")
  expect(graph.store.read().state.task.get(task.id)?.status).toBe("failed")

  expect(await migrateAutomatically(hive)).toBeUndefined()
  expect(countsOf(graph)).toMatchObject({ plan: 1, task: 4, anchor: 2 })
  expect(graph.store.read().state.task.get(task.id)?.status).toBe("failed")
})

it("quarantines an old anchor whose key has an anchor already", async () => {
  const graph = await oldProject("g1")
  await saveAnchor(graph, caller, { key: "DB", value: "SQLite" })
  beginMigration(graph)
  const dry = await migrate(graph, { dryRun: true })
  const { report } = await migrate(graph)
  expect(dry.report?.sources).toEqual(report?.sources)
  expect(report?.quarantined.map(({ from }) => from)).toEqual([".hivemind/anchors.json anchors[0]"])
  const anchors = [...graph.store.read().state.anchor.values()]
  expect(anchors.map(({ key, value }) => `${key} ${value}`).sort()).toEqual(["DB SQLite", "PORT 8443"])
})

it("a write that only counts does not wait for the old files", async () => {
  const graph = await oldProject("g1")
  const never = new Promise<void>(() => {})
  const store = readThroughStore(graph, { ...readIntoMemory(graph, []), read: never })
  await store.append(by, (tx) => tx.count("ses_new", "messages"))
  expect(store.read().state.metrics.get("ses_new")?.counts["messages"]).toBe(1)
})

it("records of a file that is written again refer to records of renamed files", async () => {
  const graph = await oldProject("g3")
  await migrate(graph)
  const file = join(graph.home, ".hivemind/graph/tasks.json")
  const { tasks } = JSON.parse(readFileSync(`${file}.bak`, "utf8"))
  writeFileSync(file, JSON.stringify({ tasks: [{ ...tasks[0], id: "new", title: "Audit again" }] }))
  // Leaves the same mark as a migration that was killed.
  beginMigration(graph)
  const hive = await withLegacyFiles(graph)
  expect(taskNamed(hive, "Audit again").parent_phase_id).toBe(taskNamed(hive, "Audit").parent_phase_id)
  expect(countsOf(hive)["plan"]).toBe(countsOf(graph)["plan"])
})

it("sync shares only records of the graph", async () => {
  const graph = await oldProject("g1")
  gitRepo(graph.dir)
  const hive = await withLegacyFiles(graph)
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  const { store, dir } = hive
  const { saved } = await syncHive({ store, dir, remote: null, mayBegin: async () => true })
  expect(saved).toBe((await graph.store.log()).length)
})

it("a record that leaves the graph meanwhile does not come back", async () => {
  const graph = await oldProject("g1")
  const hive = await withLegacyFiles(graph)
  const [anchor] = [...hive.store.read().state.anchor.values()]
  await hive.store.write(by, (tx) => tx.drop("anchor", anchor?.id ?? ""))
  expect(countsOf(hive)["anchor"]).toBe(1)
})

it("a read-only folder goes on showing old records", async () => {
  const graph = await oldProject("g1")
  // The folder `system` is blocked by a file, which even root cannot write into.
  writeFileSync(join(hivePaths(graph.home).root, "system"), "")
  const hive = await withLegacyFiles(graph)
  await expect(migrateAutomatically(hive)).rejects.toThrow()
  await seesTheOldFiles(hive)
  // A host shows the old records as well.
  const { tools, runTool } = connectedAt(graph.home).hivemind
  const asked = { memory: { action: "recall", query: "jose" }, anchor: { action: "list" } }
  for (const [name, args] of Object.entries(asked)) {
    const [tool] = tools.filter((each) => each.name === `hivemind_${name}`)
    const reply = tool && (await runTool(tool, { ...caller, running: anyCommand }, args))
    expect(JSON.stringify(reply)).toContain(name === "memory" ? "Use jose" : "Postgres 16")
  }
  await expect(saveMem(hive, caller, { content: "lost" })).rejects.toThrow()
})

it("adds no old records if there is a graph, or after the migration or its undo", async () => {
  const own = await oldProject("g1")
  await own.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  expect(await withLegacyFiles(own)).toBe(own)
  const done = await oldProject("g1")
  await migrateAutomatically(done)
  expect(await withLegacyFiles(done)).toBe(done)
  await undoMigration(done)
  expect(await withLegacyFiles(done)).toBe(done)
  const fresh = await oldProject()
  expect(await withLegacyFiles(fresh)).toBe(fresh)
})

it("does not read more than a megabyte of old mems twice: they show when they are in the graph", async () => {
  const graph = await oldProject("g1")
  const contents = Array.from({ length: 1300 }, (_, n) => `Thing ${n} ${"x".repeat(900)}`)
  const mems = contents.map((content, n) => ({ id: `mem_${n}`, content }))
  writeFileSync(join(graph.home, ".hivemind/mems.json"), JSON.stringify({ mems }))
  const hive = await withLegacyFiles(graph)
  expect(countsOf(hive)).toMatchObject({ plan: 1, task: 4, anchor: 2, mem: 1 })
  await startTask(hive, caller, taskNamed(hive, "Rotate the token").id)
  await migrateAutomatically(hive)
  expect((await recallKnown(hive, "Thing 1299")).mems[0]?.mem.content).toMatch(/^Thing 1299 /)
})

async function seesTheOldFiles(hive: Hive): Promise<void> {
  const { xml } = await packedState(hive, { session: null, asOf: undefined })
  expect(xml).toContain('<anchor key="DB" priority="medium">Postgres 16</anchor>')
  expect(xml).toMatch(/<(task|next)[^>]*>Write the refresh endpoint</)
  expect(xml).toContain("Use jose")
  const { state } = hive.store.read()
  expect(viewCounts(state, hive.store.archive.size())).toMatchObject({
    ...{ plans: 1, anchors: 2, sessions: 2 },
    mems: { hot: 4, archived: 0 },
  })
  const context = compactionContext({ state, session: "ses_new", now: hive.source.now() })
  expect(context).toContain("Write the refresh endpoint")
  const { mems } = await recallKnown(hive, "jose")
  expect(mems.map(({ mem }) => mem.content)).toEqual(["Use jose"])
  const anchors = listAnchorRows(hive, {}).items.map(({ key }) => key)
  expect(anchors.sort()).toEqual(["DB", "PORT"])
  expect(listTasks(hive, {}).items).toHaveLength(4)
}

function allOf({ store }: Hive): string[] {
  return recordTexts({ ...store.read().state, metrics: emptyState().metrics })
}

const caller = { session: "ses_new", agent: "build", tool: "test" }
