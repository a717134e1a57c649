import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { leavingMems } from "../../src/graph/mem-status.ts"
import { headOf } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { extractDecisions, extractFinishedTasks } from "../../src/knowledge/extract/extract-mems.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { migrateAutomatically } from "../../src/migrate/automatic.ts"
import { migrate, unreadFiles } from "../../src/migrate/migrate.ts"
import { undoMigration } from "../../src/migrate/undo-migration.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { startTask } from "../../src/work/task/start.ts"
import { cloneSource, exchange, sharedGraph } from "../support/clones.ts"
import { countsOf, everythingIn, oldProject } from "../support/old-project.ts"
import { aPlan, by } from "../support/records.ts"
import { memsOf, sortedTitles, taskNamed, tasksOf } from "./import/imported.ts"

it.each(["g0", "mixed", "damaged"])(
  "restores the files of %s, and keeps the graph's own records",
  async (layout) => {
    const hive = await oldProject(layout)
    await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const before = oldFiles(hive)
    const files = unreadFiles(hive.home).map(({ name }) => name)
    for (const _ of ["once", "and again"]) {
      await migrate(hive)
      expect(countsOf(hive)).not.toEqual({ plan: 1 })
      expect(await undoMigration(hive)).toMatchObject({ kept: { count: 0, examples: [] }, left: [] })
      expect(countsOf(hive)).toEqual({ plan: 1 })
      expect(oldFiles(hive)).toEqual(before)
      expect(unreadFiles(hive.home).map(({ name }) => name)).toEqual(files)
    }
    expect(await undoMigration(hive)).toBeUndefined()
  },
)

it.each([["g1"], ["g3"], ["idumb-2"], ["mixed"], ["g3", "idumb-2"]])(
  "leaves %s as it was, with nothing but a note of the undo in .hivemind/",
  async (...layouts) => {
    const hive = await oldProject(...layouts)
    const own = ".hivemind/.gitignore"
    if (layouts.includes("g3")) writeFileSync(join(hive.home, own), "sessions/\n")
    const before = everythingIn(hive.home)
    for (const _ of ["once", "and again"]) {
      const { report } = await migrate(hive)
      expect(report?.sources.taken).toBeGreaterThan(0)
      expect(countsOf(hive)["plan"]).toBeGreaterThan(0)
      await hive.store.fold("now")
      await undoMigration(hive)
      expect(countsOf(hive)).toEqual({})
      const { [MARKER]: marker, ".hivemind/system/.gitignore": ignored, ...after } = everythingIn(hive.home)
      expect(after).toEqual({ ...before, ".hivemind": "", ".hivemind/system": "" })
      expect([marker?.includes('"undone"'), ignored]).toEqual([true, "*\n"])
      expect(await migrateAutomatically(hive)).toBeUndefined()
    }
  },
)

it("keeps a hive that was set up or used since", async () => {
  const [setUp, worked] = [await oldProject("g3"), await oldProject("g3")]
  for (const hive of [setUp, worked]) await migrate(hive)
  mkdirSync(join(setUp.home, ".hivemind/system"), { recursive: true })
  writeFileSync(join(setUp.home, ".hivemind/system/install.json"), "[]")
  const { entry } = await worked.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  await worked.store.undo(entry?.id ?? "", by)
  for (const hive of [setUp, worked]) {
    await undoMigration(hive)
    expect(countsOf(hive)).toEqual({})
    expect(existsSync(join(hive.home, ".hivemind/graph/log"))).toBe(true)
  }
  expect(readFileSync(join(setUp.home, ".hivemind/.gitignore"), "utf8")).toBe("*\n")
})

it("keeps records that newer ones depend on, with the reason", async () => {
  const hive = await oldProject("g1")
  await migrate(hive)
  const { id } = taskNamed(hive, "Rotate the token")
  const caller = { session: "ses_new", agent: "build", tool: "test" }
  await startTask(hive, caller, id)
  await saveMem(hive, caller, { content: "Rotation needs a lock", origin_task_id: id })
  const undone = await undoMigration(hive)
  const kept = undone?.kept.examples.map(({ name, why }) => `${name}: ${why}`)
  expect(kept).toContainEqual(expect.stringMatching(/Rotate the token.*: the record was changed since/))
  expect(kept).toContainEqual(expect.stringMatching(/Build auth.*: a \w+ that stays depends on it/))
  const titles = tasksOf(hive).map(({ title }) => title)
  expect(titles).toEqual(["Write the refresh endpoint", "Rotate the token"])
  expect(countsOf(hive)["anchor"]).toBeUndefined()
  expect(headOf(hive.store.read().state, "ses_new")?.active_task_ids).toEqual([id])
})

it("keeps records of a shared graph that another clone migrated too, and removes the rest", async () => {
  const [anna, bert] = [await cloneOf("anna", "g1"), await cloneOf("bert", "g1", "idumb-2")]
  for (const hive of [anna, bert]) await migrate(hive)
  await exchange([anna.store, bert.store])
  const shared = sharedGraph(anna.store)
  const undone = await undoMigration(bert)
  expect(undone?.left).toEqual([])
  expect(undone?.kept.examples.map(({ why }) => why)).toContain("another clone has the record too")
  expect(existsSync(join(bert.home, ".hivemind/mems.json"))).toBe(true)
  await exchange([anna.store, bert.store])
  const titles = (hive: Hive) => sortedTitles(tasksOf(hive))
  expect(titles(anna)).toEqual(titles(await migrated("g1")))
  expect(titles(bert)).toEqual(titles(anna))
  expect(countsOf(anna)["anchor"]).toBe(2)
  expect(Object.keys(sharedGraph(anna.store)).length).toBeLessThan(Object.keys(shared).length)
})

it("removes mems extracted from old tasks and anchors, unless those stay", async () => {
  const hive = await oldProject("g1", "idumb-2")
  await migrate(hive)
  const caller = { session: "ses_new", agent: "build", tool: "extraction" }
  const extract = async () => [
    ...(await extractFinishedTasks(hive, caller)),
    ...(await extractDecisions(hive, caller)),
  ]
  expect((await extract()).map(({ origin }) => origin)).toEqual(["finished_task", "anchor"])
  expect(await undoMigration(hive)).toMatchObject({ kept: { count: 0 } })
  expect(countsOf(hive)).toEqual({})
  await migrate(hive)
  await extract()
  const { id } = taskNamed(hive, "Choose a library")
  await hive.store.write(by, (tx) => tx.set("task", id, { title: "Choose another" }))
  await undoMigration(hive)
  expect(memsOf(hive).map(({ origin }) => origin)).toEqual(["finished_task"])
})

it("reports a file whose place is taken, a missing copy, and a changed configuration", async () => {
  const hive = await oldProject("g0", "g1")
  await migrate(hive)
  writeFileSync(join(hive.home, ".hivemind/mems.json"), "{}")
  rmSync(join(hive.home, ".hivemind/anchors.json.bak"))
  writeFileSync(join(hive.home, ".hivemind/system/config.json"), "{}")
  const undone = await undoMigration(hive)
  expect(undone?.left).toEqual([
    ".hivemind/mems.json: there is a newer file, which is kept; the migrated version is .hivemind/mems.json.bak",
    ".hivemind/anchors.json: the copy .hivemind/anchors.json.bak no longer exists",
    "system/config.json: the file was changed since the migration, so it is kept",
  ])
})

async function cloneOf(name: string, ...layouts: string[]): Promise<Hive> {
  const hive = await oldProject(...layouts)
  const source = cloneSource(name)
  const store = openFileStore(hive.home, { source, leaving: leavingMems })
  onTestFinished(() => store.close())
  return { ...hive, source, store }
}

async function migrated(...layouts: string[]): Promise<Hive> {
  const hive = await oldProject(...layouts)
  await migrate(hive)
  return hive
}

function oldFiles({ home }: Hive): Record<string, string> {
  const isOld = (name: string) => statSync(join(home, name)).isFile() && !OWN.test(name)
  return Object.fromEntries(Object.entries(everythingIn(home)).filter(([name]) => isOld(name)))
}

const MARKER = ".hivemind/system/migration.json"
const OWN =
  /^\.hivemind\/(\.gitignore|system\/|graph\/(log|parts|manifest|archive|quarantine|\.lock)|state\/(metrics|injected|usage))/
