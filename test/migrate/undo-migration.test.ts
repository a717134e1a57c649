import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { headOf } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { migrate, untakenFiles } from "../../src/migrate/take-over/migrate.ts"
import { undoMigration } from "../../src/migrate/take-over/undo-migration.ts"
import { startTask } from "../../src/work/task/start.ts"
import { countsOf, oldProject } from "../support/old-project.ts"
import { aPlan, by } from "../support/records.ts"

it.each(["g0", "g1", "g3", "idumb-2", "mixed", "damaged"])(
  "puts %s back: files byte for byte, the graph without its records",
  async (layout) => {
    const hive = await oldProject(layout)
    await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const before = oldFiles(hive)
    const files = untakenFiles(hive.home).map(({ name }) => name)
    await migrate(hive)
    expect(countsOf(hive)).not.toEqual({ plan: 1 })
    const undone = await undoMigration(hive)
    expect(undone?.kept).toEqual({ count: 0, examples: [] })
    expect(undone?.left).toEqual([])
    expect(countsOf(hive)).toEqual({ plan: 1 })
    expect(oldFiles(hive)).toEqual(before)
    expect(untakenFiles(hive.home).map(({ name }) => name)).toEqual(files)
    // And forth again, with the same outcome.
    const { report } = await migrate(hive)
    expect(report?.sources.taken).toBeGreaterThan(0)
    expect(await undoMigration(hive)).toMatchObject({ kept: { count: 0 }, left: [] })
    expect(await undoMigration(hive)).toBeUndefined()
  },
)

it("keeps what somebody has built upon since, with what that needs, and says why", async () => {
  const hive = await oldProject("g1")
  await migrate(hive)
  const { state } = hive.store.read()
  const task = [...state.task.values()].find(({ title }) => title === "Rotate the token")
  const caller = { session: "ses_new", agent: "build", tool: "test" }
  await startTask(hive, caller, task?.id ?? "")
  await saveMem(hive, caller, { content: "Rotation needs a lock", origin_task_id: task?.id ?? "" })
  const undone = await undoMigration(hive)
  const kept = undone?.kept.examples.map(({ name, why }) => `${name}: ${why}`)
  expect(kept).toContainEqual(expect.stringMatching(/Rotate the token.*: changed since/))
  expect(kept).toContainEqual(expect.stringMatching(/Build auth.*: a \w+ that stays leans on it/))
  expect([...hive.store.read().state.task.values()].map(({ title }) => title)).toEqual([
    "Write the refresh endpoint",
    "Rotate the token",
  ])
  expect(countsOf(hive)["anchor"]).toBeUndefined()
  expect(headOf(hive.store.read().state, "ses_new")?.active_task_ids).toEqual([task?.id])
})

it("tells of a file whose place is taken, and of a configuration that was changed since", async () => {
  const hive = await oldProject("g0", "g1")
  await migrate(hive)
  writeFileSync(join(hive.home, ".hivemind/mems.json"), "{}")
  writeFileSync(join(hive.home, ".hivemind/system/config.json"), "{}")
  const undone = await undoMigration(hive)
  expect(undone?.left).toEqual([
    ".hivemind/mems.json: there is a file of that name, or .hivemind/mems.json.bak is gone",
    "system/config.json: it was changed since",
  ])
})

it("drops the copy of a file that has come back as it was", async () => {
  const hive = await oldProject("g1")
  const before = oldFiles(hive)
  const file = join(hive.home, ".hivemind/mems.json")
  const text = readFileSync(file)
  await migrate(hive)
  writeFileSync(file, text)
  const undone = await undoMigration(hive)
  expect(undone?.left).toEqual([])
  expect(undone?.files).toContain(".hivemind/mems.json")
  expect(oldFiles(hive)).toEqual(before)
})

/** Every file that is not HiveMind's own, with its content. */
function oldFiles({ home }: Hive): Record<string, string> {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(home, name)).isFile() && !OWN.test(name),
  )
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(home, name), "latin1")]))
}

const OWN =
  /^\.hivemind\/(\.gitignore|system\/|graph\/(log|parts|manifest|archive|quarantine|\.lock)|state\/(metrics|injected|usage))/
