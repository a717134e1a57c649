import { expect, it } from "vitest"
import { recallKnown } from "../../src/knowledge/recall/recall-known.ts"
import { migrateByItself, migratedLine } from "../../src/migrate/take-over/automatic.ts"
import { migrate } from "../../src/migrate/take-over/migrate.ts"
import { undoMigration } from "../../src/migrate/take-over/undo-migration.ts"
import { writeMigrations } from "../../src/store/migrations.ts"
import { packedState } from "../../src/views/packed/packed-state.ts"
import { countsOf, oldProject } from "../support/old-project.ts"
import { aPlan, by } from "../support/records.ts"

it("takes over where nobody has a graph yet, once, and says what", async () => {
  const hive = await oldProject("g1")
  const migrated = await migrateByItself(hive)
  expect(migrated && migratedLine(migrated)).toBe(
    "HiveMind took over what an older tool has left: 1 plan, 4 tasks, 2 sessions, 4 mems, 2 anchors. " +
      "The old files are kept as .bak; `hivemind migrate --undo` puts it all back.",
  )
  expect(await migrateByItself(hive)).toBeUndefined()
})

it("leaves the old files to whoever has a graph of their own", async () => {
  const hive = await oldProject("g1")
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  expect(await migrateByItself(hive)).toBeUndefined()
  expect(countsOf(hive)).toEqual({ plan: 1 })
})

it("does not take over again what a person has put back, until they ask for it", async () => {
  const hive = await oldProject("g1")
  await migrateByItself(hive)
  await undoMigration(hive)
  expect(await migrateByItself(hive)).toBeUndefined()
  expect(countsOf(hive)).toEqual({})
  expect((await migrate(hive)).report?.sources.taken).toBe(16)
})

it("goes on with one that was begun, whatever has been written since", async () => {
  const hive = await oldProject("g1")
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  const empty = { moves: [], stays: {}, config: null, report: null }
  writeMigrations(hive.home, [
    { state: "running", started_at: "2026-02-11T14:00:00.000Z", finished_at: null, ...empty },
  ])
  expect(await migrateByItself(hive)).toBeDefined()
  expect(countsOf(hive)["task"]).toBe(4)
})

it("does not put what past sessions came to before the model; recall finds it", async () => {
  const hive = await oldProject("g2")
  await migrate(hive)
  const { xml } = await packedState(hive, { session: null, asOf: undefined })
  expect(xml).toContain("Use jose")
  expect(xml).not.toContain("The login page works")
  expect(xml).not.toContain("tool calls")
  const { mems } = await recallKnown(hive, "login page works")
  expect(mems.map(({ mem }) => mem.content).join()).toContain("The login page works")
})
