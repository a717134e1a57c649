import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { recallKnown } from "../../src/knowledge/recall/recall-known.ts"
import { withOldFiles } from "../../src/migrate/fallback/open.ts"
import { migrationOf } from "../../src/migrate/pending.ts"
import { migrateByItself, migratedLine } from "../../src/migrate/take-over/automatic.ts"
import { migrate } from "../../src/migrate/take-over/migrate.ts"
import { brokenOffNotices } from "../../src/migrate/take-over/notice.ts"
import { beginMigration } from "../../src/migrate/take-over/under-way.ts"
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

it("goes on with its own files after another folder's were taken over in between", async () => {
  const [hive, other] = [await oldProject("g1"), await oldProject("idumb-1")]
  const anchors = join(other.home, ".hivemind")
  mkdirSync(anchors)
  writeFileSync(join(anchors, "anchors.json"), ANCHORS)
  beginMigration(hive)
  await migrate(hive, { from: other.home })
  expect(migrationOf(hive.home)).toBe("running")
  const shown = (await withOldFiles(hive, "all")).store.read().state
  expect([...shown.task.values()].map(({ title }) => title)).toContain("Rotate the token")
  expect(await migrateByItself(hive)).toBeDefined()
  expect(migrationOf(hive.home)).toBe("over")
  const { state } = hive.store.read()
  expect([...state.task.values()].map(({ title }) => title)).toContain("Rotate the token")
  // What the other folder has brought is no part of the interrupted run: another value is kept.
  expect([...state.anchor.values()].map(({ value }) => value)).toContain("MySQL")
  expect([...state.mem.values()].map(({ content }) => content).join("\n")).toContain("Postgres")
})

it("goes on with another folder's files; where that is gone, status says so until it is ended", async () => {
  const [hive, other] = [await oldProject(), await oldProject("g1")]
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  beginMigration(hive, other.home)
  const away = `${other.home}-away`
  renameSync(other.home, away)
  expect(await migrateByItself(hive)).toBeUndefined()
  expect(brokenOffNotices(hive.home)).toEqual([expect.stringContaining("not there any more")])
  renameSync(away, other.home)
  expect((await migrateByItself(hive))?.report?.sources.taken).toBe(16)
  expect(brokenOffNotices(hive.home)).toEqual([])
  expect(countsOf(hive)["task"]).toBe(4)
  beginMigration(hive, away)
  expect(await migrate(hive, { from: away })).toEqual({ report: null, moves: [] })
  expect(brokenOffNotices(hive.home)).toEqual([])
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

const ANCHORS = JSON.stringify({
  version: "1.0.0",
  anchors: [{ key: "DB", value: "MySQL", created_at: 1_794_712_215_543, session_id: null }],
})
