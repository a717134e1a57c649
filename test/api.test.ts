import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openHive } from "../src/api.ts"
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
