import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { compactionContext } from "../../src/context/compaction/prompt.ts"
import { PROJECT_HEAD_ID } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { updateAnchor } from "../../src/knowledge/anchor/change.ts"
import { saveAnchor } from "../../src/knowledge/anchor/save.ts"
import { flagMem } from "../../src/knowledge/memory/change.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { recallKnown } from "../../src/knowledge/recall/recall-known.ts"
import { readOldGraph } from "../../src/migrate/fallback/old-graph.ts"
import { withOldFiles } from "../../src/migrate/fallback/open.ts"
import { storeWithOld } from "../../src/migrate/fallback/store.ts"
import { migrateByItself } from "../../src/migrate/take-over/automatic.ts"
import { migrate } from "../../src/migrate/take-over/migrate.ts"
import { beginMigration } from "../../src/migrate/take-over/under-way.ts"
import { undoMigration } from "../../src/migrate/take-over/undo-migration.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { readMigrations } from "../../src/store/migrations.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { countsOf as viewCounts } from "../../src/views/hierarchy/counts.ts"
import { listAnchorRows } from "../../src/views/look/anchors.ts"
import { listTasks } from "../../src/views/look/tasks.ts"
import { packedState } from "../../src/views/packed/packed-state.ts"
import { failTask } from "../../src/work/task/finish.ts"
import { startTask } from "../../src/work/task/start.ts"
import { connectedAt } from "../support/connected.ts"
import { gitRepo } from "../support/git-repo.ts"
import { countsOf, hiveIn, oldProject } from "../support/old-project.ts"
import { aPlan, by } from "../support/records.ts"
import { anyCommand, callTool } from "../tools/call-tool.ts"

const LAYOUTS = ["g0", "g1", "g2", "g3", "idumb-1", "idumb-2", "mixed", "damaged", "half-migrated"]

it("until it is taken over, a turn, a compaction and the lists have what the old files hold; nothing is written", async () => {
  const graph = await oldProject("g1")
  const before = statSync(join(graph.home, ".hivemind")).mtimeMs
  const hive = await withOldFiles(graph, "few mems")
  await seesTheOldFiles(hive)
  expect(countsOf(graph)).toEqual({})
  expect(statSync(join(graph.home, ".hivemind")).mtimeMs).toBe(before)
})

it("when it is done everything is there once, and read from the graph", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  const old = countsOf(hive)
  await migrateByItself(hive)
  await seesTheOldFiles(hive)
  expect(countsOf(hive)).toEqual(countsOf(graph))
  expect(countsOf(graph)).toEqual(old)
  expect(hive.store.read().state).toBe(graph.store.read().state)
  expect(hive.store.older?.mems()).toBeUndefined()
})

it.for(LAYOUTS)("shows of %s the records that the migration makes of it", async (layout) => {
  const graph = await oldProject(layout)
  const hive = await withOldFiles(graph, "all")
  const shown = allOf(hive)
  expect(shown.length).toBeGreaterThan(0)
  await migrate(hive)
  expect(shown).toEqual(allOf(graph))
})

it("a task of the old files can be worked on before it is taken over, and becomes no second one", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  const task = taskNamed(hive, "Rotate the token")
  await startTask(hive, caller, task.id)
  await failTask(hive, caller, task.id, "The key service has none")
  // It has the graph with what it leans on; the rest is still in the files.
  expect(graph.store.read().state.task.get(task.id)?.status).toBe("failed")
  expect(graph.store.read().state.anchor.size).toBe(0)
  expect(viewCounts(hive.store.read().state, 0).anchors).toBe(2)

  const migrated = await migrateByItself(hive)
  expect(migrated?.report?.taken).toMatchObject({ plan: 1, task: 4, anchor: 2 })
  expect(countsOf(graph)).toMatchObject({ plan: 1, task: 4, anchor: 2 })
  expect(graph.store.read().state.task.get(task.id)?.status).toBe("failed")
})

it("what somebody has emptied meanwhile stays empty", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  const task = taskNamed(hive, "Write the refresh endpoint")
  await startTask(hive, caller, task.id)
  await failTask(hive, caller, task.id, "The key service has none")
  const head = () => graph.store.read().state.trajectory.get(PROJECT_HEAD_ID)?.active_task_ids
  expect(head()).toEqual([])
  // Another process goes on with it, and knows of that from the log only.
  await migrateByItself(hiveIn(graph.home))
  graph.store.read()
  expect(head()).toEqual([])
})

it("an anchor that a person has given the same key stays the only one; another value of the file is kept as a mem", async () => {
  const graph = await oldProject("g1")
  await saveAnchor(graph, caller, { key: "DB", value: "SQLite" })
  await saveAnchor(graph, caller, { key: "port", value: "8443" })
  const anchors = ({ store }: Hive) =>
    [...store.read().state.anchor.values()].map(({ key, value }) => `${key} ${value}`).sort()
  // As after a start that was killed: a graph with records of its own is not taken for an old one.
  beginMigration(graph)
  expect(anchors(await withOldFiles(graph, "all"))).toEqual(["DB SQLite", "port 8443"])
  const dry = await migrate(graph, { dryRun: true })
  const { report } = await migrate(graph)
  expect([dry.report?.sources, dry.report?.taken]).toEqual([report?.sources, report?.taken])
  expect(report?.sources.quarantined).toBe(0)
  expect(anchors(graph)).toEqual(["DB SQLite", "port 8443"])
  const mems = [...graph.store.read().state.mem.values()].map(({ content }) => content)
  expect(mems.join("\n")).toContain('Value of the anchor "DB" in a file of an older tool: ')
})

it("an anchor of the old files takes a new value, and a mem goes to its task", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  await expect(saveAnchor(hive, caller, { key: "DB", value: "SQLite" })).rejects.toThrow("already")
  await updateAnchor(hive, caller, { key: "DB", value: "Postgres 17" })
  const task = taskNamed(hive, "Write the refresh endpoint")
  const mem = await saveMem(hive, caller, { content: "Tokens rotate daily", origin_task_id: task.id })
  await migrateByItself(hive)
  const { state } = graph.store.read()
  expect([...state.anchor.values()].map(({ key, value }) => `${key} ${value}`).sort()).toEqual([
    "DB Postgres 17",
    "PORT 8443",
  ])
  expect(state.mem.get(mem.id)?.origin_task_id).toBe(task.id)
  expect(state.task.size).toBe(4)
})

it("a write sees all that a reader sees, also what it only counts", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  const { parent_phase_id } = taskNamed(hive, "Rotate the token")
  const { result } = await hive.store.write(by, (tx) => {
    const count = [...tx.by("task", "parent_phase_id", parent_phase_id)].length
    return tx.add("plan", { ...aPlan(1), title: `After ${count} tasks` })
  })
  expect(result.title).toBe("After 4 tasks")
})

it("what is only counted does not wait for the files to be read", async () => {
  const graph = await oldProject("g1")
  const never = new Promise<void>(() => {})
  const old = readOldGraph(graph, [], "unread")
  const store = storeWithOld(graph, { ...old, head: never, wanted: never })
  await store.append(by, (tx) => tx.count("ses_new", "messages"))
  expect(store.read().state.metrics.get("ses_new")?.counts["messages"]).toBe(1)
})

it("a process that was told nothing goes on with it, whatever was written meanwhile", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  await hive.store.write(by, (tx) => {
    const { id } = tx.add("plan", aPlan(1))
    tx.set("plan", id, { title: "Another plan" })
  })
  expect(readMigrations(graph.home).map(({ state }) => state)).toEqual(["running"])

  const later = hiveIn(graph.home)
  const again = await withOldFiles(later, "all")
  expect(countsOf(again)).toMatchObject({ plan: 2, task: 4, anchor: 2 })
  await migrateByItself(later)
  expect(countsOf(again)).toMatchObject({ plan: 2, task: 4, anchor: 2 })
})

it("what a write has put into the graph and somebody has undone is taken over all the same", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  const { mems } = await recallKnown(hive, "jose")
  const id = mems[0]?.mem.id ?? ""
  await flagMem(hive, caller, { mem_id: id, reason: "wrong" })
  for (const entry of (await graph.store.log()).toReversed()) await hive.store.undo(entry.id, by)
  expect(graph.store.read().state.mem.size).toBe(0)
  const migrated = await migrateByItself(hive)
  expect(migrated?.report?.taken["mem"]).toBe(4)
  expect(graph.store.read().state.mem.has(id)).toBe(true)
})

it("what was written upon old records stays when it is all put back, and the rest goes", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  await startTask(hive, caller, taskNamed(hive, "Rotate the token").id)
  await migrateByItself(hive)
  await undoMigration(hive)
  expect(graph.store.read().state.anchor.size).toBe(0)
  expect(existsSync(join(graph.home, ".hivemind/hierarchy.json"))).toBe(true)
})

it("other clones are told of the graph alone", async () => {
  const graph = await oldProject("g1")
  gitRepo(graph.dir)
  const hive = await withOldFiles(graph, "all")
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  const { saved } = await syncHive({
    store: hive.store,
    dir: hive.dir,
    remote: null,
    mayBegin: async () => true,
  })
  expect(saved).toBe(1)
})

it("a record that leaves the graph meanwhile does not come back", async () => {
  const graph = await oldProject("g1")
  const hive = await withOldFiles(graph, "all")
  const [anchor] = [...hive.store.read().state.anchor.values()]
  const id = anchor?.id ?? ""
  await hive.store.write(by, (tx) => tx.set("anchor", id, { value: "x" }))
  await hive.store.write(by, (tx) => tx.drop("anchor", id))
  expect(hive.store.read().state.anchor.has(id)).toBe(false)
  expect(countsOf(hive)["anchor"]).toBe(1)
})

it("where nothing can be written, it goes on being read", async () => {
  const graph = await oldProject("g1")
  // A file where a folder is needed: not even root gets past it.
  writeFileSync(join(hivePaths(graph.home).root, "system"), "")
  const hive = await withOldFiles(graph, "all")
  await expect(migrateByItself(hive)).rejects.toThrow()
  await seesTheOldFiles(hive)
  // So does a host.
  const { tools, runTool } = connectedAt(graph.home).hivemind
  const asked = { memory: { action: "recall", query: "jose" }, anchor: { action: "list" } }
  for (const [name, args] of Object.entries(asked)) {
    const [tool] = tools.filter((each) => each.name === `hivemind_${name}`)
    const reply = tool && (await runTool(tool, { ...caller, running: anyCommand }, args))
    expect(JSON.stringify(reply)).toContain(name === "memory" ? "Use jose" : "Postgres 16")
  }
  await expect(saveMem(hive, caller, { content: "lost" })).rejects.toThrow()
})

it("where the files fail half-way, what could be read is shown", async () => {
  const graph = await oldProject("g1")
  const file = join(graph.home, ".hivemind/mems.json")
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 300))
  const hive = await withOldFiles(graph, "all")
  expect(countsOf(hive)).toMatchObject({ plan: 1, task: 4, anchor: 2 })
  expect((await recallKnown(hive, "jose")).mems[0]?.mem.content).toBe("Use jose")
})

it("is the hive itself where a graph is somebody's own, all is done, or it was put back", async () => {
  const own = await oldProject("g1")
  await own.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  expect(await withOldFiles(own, "all")).toBe(own)
  const done = await oldProject("g1")
  await migrateByItself(done)
  expect(await withOldFiles(done, "all")).toBe(done)
  await undoMigration(done)
  expect(await withOldFiles(done, "all")).toBe(done)
  const fresh = await oldProject()
  expect(await withOldFiles(fresh, "all")).toBe(fresh)
})

it("of very many mems it shows the newest, counts all, and recall finds every one", async () => {
  const graph = await oldProject("g1")
  const mems = Array.from({ length: 2600 }, (_, n) => ({
    ...{ id: `mem_${n}`, shelf: "context", content: textOf(n), tags: [] },
    ...{ session_id: "session-1", created_at: 1_794_712_215_542 + n * 1000 },
  }))
  writeFileSync(join(graph.home, ".hivemind/mems.json"), JSON.stringify({ mems, version: "1.0.0" }))
  // A turn leaves such files alone.
  const turn = await withOldFiles(graph, "few mems")
  expect(countsOf(turn)).toMatchObject({ plan: 1, task: 4, anchor: 2, mem: 1 })
  expect((await recallKnown(turn, `${word(0)} queue`)).mems[0]?.mem.content).toBe(textOf(0))
  // The whole word counts: 1,110 newer ones begin like this.
  expect((await recallKnown(turn, word(1))).mems[0]?.mem.content).toBe(textOf(1))
  // What was shown can be written to.
  const shown = await callTool(turn, "memory", { action: "recall", query: word(3) })
  const flagged = await callTool(turn, "memory", { action: "flag", mem_id: shown.mems[0].id, reason: "old" })
  expect(flagged).toMatchObject({ status: "success" })

  const hive = await withOldFiles(graph, "all")
  const { mem } = hive.store.read().state
  expect(mem.size).toBeLessThan(2100)
  expect([...mem.values()].map(({ content }) => content)).toContain(textOf(2599))
  expect(mem.size + (hive.store.older?.unreadCount() ?? 0)).toBeGreaterThanOrEqual(2600)
  // The first is the oldest: no index has it.
  for (const n of [0, 2599]) {
    const { mems: hits } = await recallKnown(hive, `${word(n)} queue`)
    expect(hits[0]?.mem.content).toBe(textOf(n))
    expect(new Set(hits.map((hit) => hit.mem.id)).size).toBe(hits.length)
  }
  expect((await recallKnown(hive, "zebra stripes")).mems).toEqual([])

  await migrateByItself(hive)
  expect(hive.store.archive.size()).toBe(graph.store.archive.size())
  expect((await recallKnown(hive, `${word(0)} queue`)).mems[0]?.mem.content).toContain("Thing 0 of")
  const threes = [...graph.store.read().state.mem.values()].filter(({ content }) => content === textOf(3))
  expect(threes.map(({ status }) => status)).toEqual(["invalidated"])
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
  expect(
    listAnchorRows(hive, {})
      .items.map(({ key }) => key)
      .sort(),
  ).toEqual(["DB", "PORT"])
  expect(listTasks(hive, {}).items).toHaveLength(4)
}

/** As text, without what differs from run to run. */
function allOf({ store }: Hive): string[] {
  const { metrics: _, ...kinds } = store.read().state
  return Object.entries(kinds)
    .flatMap(([kind, records]) => [...records.values()].map((record) => `${kind} ${sorted(record)}`))
    .sort()
}

function sorted(record: object): string {
  return JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function taskNamed({ store }: Hive, title: string) {
  const task = [...store.read().state.task.values()].find((each) => each.title === title)
  if (task === undefined) throw new Error(`no task ${title}`)
  return task
}

function textOf(n: number): string {
  return `Thing ${n} of the ${word(n)} queue${" and so on".repeat(40)}`
}

function word(n: number): string {
  return `word${n}x`
}

const caller = { session: "ses_new", agent: "build", tool: "test" }
