import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { openHive } from "../src/api.ts"
import { systemSource } from "../src/shared/ids.ts"
import { openFileStore } from "../src/store/file-store.ts"
import { hivePaths } from "../src/store/files/layout.ts"
import { usageFile } from "../src/store/files/usage-file.ts"
import { GIT_ENV } from "./support/git-repo.ts"
import { aPhase, aPlan, aTask, by, uuid } from "./support/records.ts"
import { makeTeam } from "./support/team.ts"
import { tempProject } from "./support/temp-project.ts"

it("a program keeps anchors: save, list, get, update, remove", async () => {
  const dir = await tempProject()
  await writeFile(join(dir, "db.ts"), "x")
  const hive = await openHive(dir)
  const saved = await hive.anchors.save({ key: "DB", value: "Postgres", related_to: ["db.ts"] })
  await hive.anchors.save({ key: "RULE", value: "No semicolons", priority: "critical" })
  expect(hive.anchors.list().map(({ anchor, isStale }) => [anchor.key, isStale])).toEqual([
    ["RULE", false],
    ["DB", false],
  ])
  await writeFile(join(dir, "db.ts"), "y, and longer")
  expect(hive.anchors.get("db")).toMatchObject({ anchor: { id: saved.id, value: "Postgres" }, isStale: true })
  expect(await hive.anchors.update({ key: "DB", value: "MySQL" })).toMatchObject({
    id: saved.id,
    value: "MySQL",
  })
  expect(hive.anchors.get("DB").isStale).toBe(false)
  expect(await hive.anchors.remove("DB")).toMatchObject({ status: "removed" })
  expect(() => hive.anchors.get("DB")).toThrow(/no anchor "DB"/)
  await expect(hive.anchors.save({ key: "rule", value: "x" })).rejects.toMatchObject({ code: "duplicate" })
  await hive.close()
})

it("a program recalls, gets and flags mems, with arguments checked like a tool's", async () => {
  const hive = await openHive(await tempProject())
  const { id } = await hive.memory.save({ content: "Sessions are JWTs", kind: "decision" })
  expect(await hive.memory.recall("session jwt")).toMatchObject([
    {
      id,
      content: "Sessions are JWTs",
      kind: "decision",
      score: expect.any(Number),
      why: "words: sessions, jwts",
    },
  ])
  expect(await hive.memory.recall("session", { kinds: ["fact"] })).toEqual([])
  expect(hive.memory.get(id.slice(0, 8))).toMatchObject({ id })
  expect(await hive.memory.flag(id, "too large")).toMatchObject({
    status: "invalidated",
    reason: "too large",
  })
  await expect(hive.memory.recall("")).rejects.toMatchObject({ code: "invalid_argument" })
  await expect(hive.memory.flag(id, "")).rejects.toMatchObject({ code: "invalid_argument" })
  await hive.close()
})

it("a program recalls what was tried and failed, after the mems, with the reason", async () => {
  const dir = await tempProject()
  const store = openFileStore(dir, { source: systemSource })
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2, { title: "Move sessions to JWT" }))
  })
  await store.write(by, (tx) => tx.set("task", uuid(3), { status: "failed", reason: "no revocation" }))
  await store.close()
  const hive = await openHive(dir)
  const mem = await hive.memory.save({ content: "Sessions live in Redis", kind: "decision" })
  expect(await hive.memory.recall("sessions in a jwt")).toMatchObject([
    { id: mem.id, kind: "decision", reason: null },
    {
      id: uuid(3),
      kind: "failed task",
      content: "Move sessions to JWT",
      reason: "no revocation",
      why: "words: sessions, jwt",
    },
  ])
  expect(await hive.memory.recall("redis")).toMatchObject([{ id: mem.id }])
  expect(await hive.memory.recall("jwt", { kinds: ["decision"] })).toEqual([])
  await hive.close()
})

it("a program shares the log and settles what two clones disagree on", async () => {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const team = makeTeam(await tempProject())
  const [anna, bert] = [await openHive(team.anna), await openHive(team.bert)]
  await anna.anchors.save({ key: "DB", value: "Postgres" })
  await bert.anchors.save({ key: "DB", value: "MySQL" })
  expect(await anna.sync()).toMatchObject({ push: "kept" })
  expect(await anna.sync({ first: true })).toMatchObject({ push: "pushed", sent: 1 })
  expect(await bert.sync()).toMatchObject({ brought: 1, conflicts: [{ rule: "anchor_key" }] })
  const [conflict] = bert.conflicts.list()
  const stands = bert.anchors.get("DB").anchor.value
  await expect(bert.conflicts.settle(conflict?.id ?? "", "both" as never)).rejects.toMatchObject({
    code: "invalid_argument",
  })
  await bert.conflicts.settle(conflict?.id ?? "", "lost")
  expect(bert.anchors.get("DB").anchor.value).not.toBe(stands)
  await bert.sync()
  await anna.sync()
  expect(anna.anchors.get("DB").anchor.value).toBe(bert.anchors.get("DB").anchor.value)
  expect(anna.conflicts.list()).toEqual([])
  await expect(anna.sync({ remote: "nowhere" })).rejects.toMatchObject({ code: "not_found" })
  await Promise.all([anna.close(), bert.close()])
})

it("a program reads what models took, all of it or since a time", async () => {
  const dir = await tempProject()
  const hive = await openHive(dir)
  await hive.memory.save({ content: "Sessions are JWTs" })
  const tokens = { input: 100, cache_write: 0, cache_read: 50, output: 10, reasoning: 0, cost: 0.25 }
  const of = { session: "ses_1", parent: null, agent: "build", model: "a/b", task: null, plan: null }
  for (const [n, at] of ["2026-10-30T10:00:00.000Z", "2026-11-15T10:00:00.000Z"].entries())
    usageFile(hivePaths(dir)).add({ at, message: `msg_${n}`, delegation: null, ...of, ...tokens })
  expect(await hive.cost()).toMatchObject({ total: { answers: 2, input: 200, cost: 0.5 }, plans: [] })
  const late = await hive.cost({ since: new Date("2026-11-01") })
  expect(late).toMatchObject({ total: { answers: 1, output: 10 }, models: [{ id: "a/b" }] })
  await hive.close()
})
