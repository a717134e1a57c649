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
