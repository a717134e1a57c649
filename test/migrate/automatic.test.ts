import { expect, it } from "vitest"
import { recallKnown } from "../../src/knowledge/recall/recall.ts"
import { migrateAutomatically, migratedLine } from "../../src/migrate/automatic.ts"
import { beginMigration, migrate } from "../../src/migrate/migrate.ts"
import { withLegacyFiles } from "../../src/migrate/open-with-legacy.ts"
import { readMigration } from "../../src/store/migrations.ts"
import { packedState } from "../../src/views/context/injected.ts"
import { countsOf, oldProject } from "../support/old-project.ts"
import { aPlan, by } from "../support/records.ts"

it("migrates a project without a graph, once, and says what", async () => {
  const hive = await oldProject("g1")
  const migrated = await migrateAutomatically(hive)
  expect(migrated && migratedLine(migrated)).toBe(
    "HiveMind migrated the files of an older tool: 1 plan, 4 tasks, 2 sessions, 4 mems, 2 anchors. " +
      "The old files are kept as .bak; `hivemind import migrate --undo` restores everything.",
  )
  expect(await migrateAutomatically(hive)).toBeUndefined()
})

it("does not touch old files if there is a graph", async () => {
  const hive = await oldProject("g1")
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  expect(await migrateAutomatically(hive)).toBeUndefined()
  expect(countsOf(hive)).toEqual({ plan: 1 })
})

it("continues an interrupted migration, also after one of another folder", async () => {
  const [hive, other] = [await oldProject("g1"), await oldProject("idumb-1")]
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  beginMigration(hive)
  await migrate(hive, { from: other.home })
  expect(readMigration(hive.home)?.state).toBe("running")
  const shown = (await withLegacyFiles(hive)).store.read().state
  expect([...shown.task.values()].map(({ title }) => title)).toContain("Rotate the token")
  expect(await migrateAutomatically(hive)).toBeDefined()
  expect(readMigration(hive.home)?.state).toBe("done")
  expect(countsOf(hive)).toMatchObject({ plan: 2, task: 4, anchor: 4 })
})

it("shows exports of past sessions in recall, and not to the model", async () => {
  const hive = await oldProject("g2")
  await migrate(hive)
  const { xml } = await packedState(hive, { session: null, asOf: undefined })
  expect(xml).toContain("Use jose")
  expect(xml).not.toContain("The login page works")
  expect(xml).not.toContain("tool calls")
  const { mems } = await recallKnown(hive, "login page works")
  expect(mems.map(({ mem }) => mem.content).join()).toContain("The login page works")
})
