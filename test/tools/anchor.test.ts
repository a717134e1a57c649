import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { writeFiles } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { anAnchor, by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "./call-tool.ts"

const anchor = (hive: Hive, action: string, args: object = {}) =>
  callTool(hive, "anchor", { action, ...args })
const anchors = (hive: Hive) => [...hive.store.read().state.anchor.values()]

async function projectHive() {
  const dir = await tempProject()
  writeFiles(dir, { "src/db.ts": "x" })
  return { ...memoryHive(), dir }
}

describe("hivemind_anchor", () => {
  it("save keeps a fact, get returns it in full, in any case of the key", async () => {
    const hive = memoryHive()
    const value = `Postgres 16. ${"A long story. ".repeat(100)}`.trim()
    const { entity_id } = await anchor(hive, "save", { key: " DB ", value, priority: "critical" })
    const saved = { entity_id, key: "DB", value, priority: "critical", related_to: [], stale: false }
    expect(await anchor(hive, "get", { key: "db" })).toMatchObject({ ...saved, type: "context" })
    expect(anchors(hive)).toMatchObject([{ status: "active", session_id: "ses_1" }])
  })

  it("save does not overwrite an existing anchor, stale or not", async () => {
    const hive = memoryHive()
    const { entity_id } = await anchor(hive, "save", { key: "DB", value: "Postgres" })
    const refused = await anchor(hive, "save", { key: "db", value: "MySQL" })
    expect(refused).toMatchObject({ status: "error", code: "duplicate", evidence: `anchor ${entity_id}` })
    expect(refused.why).toContain("Postgres")
    expect(refused.use_instead).toContain("update")
    await hive.store.write(by, (tx) => tx.set("anchor", entity_id, { status: "stale" }))
    expect(await anchor(hive, "save", { key: "DB", value: "MySQL" })).toMatchObject({ code: "duplicate" })
    expect(anchors(hive)).toMatchObject([{ value: "Postgres" }])
  })

  it("remove takes it out of sight, save brings the same one back with the new value", async () => {
    const hive = memoryHive()
    const { entity_id } = await anchor(hive, "save", { key: "DB", value: "Postgres", priority: "high" })
    expect(await anchor(hive, "remove", { key: "db" })).toMatchObject({ status: "success", entity_id })
    expect(anchors(hive)).toMatchObject([{ status: "removed", value: "Postgres" }])
    expect(await anchor(hive, "list")).toMatchObject({ count: 0, anchors: [] })
    const gone = { code: "not_found", why: expect.stringContaining("The anchor was removed.") }
    for (const action of ["get", "remove"])
      expect(await anchor(hive, action, { key: "DB" })).toMatchObject(gone)
    expect(await anchor(hive, "update", { key: "DB", value: "x" })).toMatchObject({ code: "not_found" })
    expect(await anchor(hive, "save", { key: "Db", value: "MySQL" })).toMatchObject({ entity_id })
    expect(anchors(hive)).toMatchObject([{ key: "Db", status: "active", value: "MySQL", priority: "medium" }])
  })

  it("list has the highest score first, stale ones marked, and is bounded", async () => {
    const hive = memoryHive()
    await anchor(hive, "save", { key: "LOW", value: "x", priority: "low" })
    await anchor(hive, "save", { key: "CRITICAL", value: "y ".repeat(500), priority: "critical" })
    await anchor(hive, "save", { key: "GONE", value: "z" })
    await anchor(hive, "remove", { key: "GONE" })
    await hive.store.write(by, (tx) => {
      for (let n = 0; n < 70; n++) tx.add("anchor", anAnchor(1000 + n, { key: `M${n}` }))
    })
    await hive.store.write(by, (tx) => tx.set("anchor", anAnchor(1000).id, { status: "stale" }))
    const { count, anchors: shown } = await anchor(hive, "list")
    expect(count).toBe(72)
    expect(shown).toHaveLength(50)
    expect(shown[0]).toMatchObject({ key: "CRITICAL", priority: "critical" })
    expect(shown[0].value.length).toBeLessThan(210)
    hive.source.seconds = 49 * 3600
    const later = await anchor(hive, "list")
    expect(later.anchors.every(({ stale }: { stale?: boolean }) => stale)).toBe(true)
  })

  it("update changes value and priority, and makes it fresh again", async () => {
    const hive = memoryHive()
    const { entity_id } = await anchor(hive, "save", { key: "DB", value: "Postgres", priority: "high" })
    await hive.store.write(by, (tx) => tx.set("anchor", entity_id, { status: "stale" }))
    hive.source.seconds = 100 * 3600
    expect(await anchor(hive, "get", { key: "DB" })).toMatchObject({ stale: true })
    const updated = await anchor(hive, "update", { key: "db", value: "Postgres" })
    expect(updated).toMatchObject({ entity_id, priority: "high" })
    expect(await anchor(hive, "get", { key: "DB" })).toMatchObject({ stale: false })
    await anchor(hive, "update", { key: "db", value: "MySQL", priority: "low" })
    expect(anchors(hive)).toMatchObject([{ key: "DB", value: "MySQL", priority: "low", status: "active" }])
  })

  it.each<[string, object, string]>([
    ["save", { key: "  ", value: "x" }, "key"],
    ["save", { key: "k".repeat(121), value: "x" }, "key"],
    ["save", { key: "A", value: "x", priority: "urgent" }, "priority"],
    ["save", { key: "A", value: "x", related_to: Array(51).fill("a.ts") }, "related_to"],
    ["update", { key: "A", value: "x", type: "task" }, "it takes no type"],
  ])("refuses %s %j", async (action, args, field) => {
    const hive = memoryHive()
    const reply = await anchor(hive, action, args)
    expect(reply).toMatchObject({ status: "error", code: "invalid_argument" })
    expect(reply.what).toContain(field)
    expect(await hive.store.log()).toEqual([])
  })
})

describe("the relations of an anchor", () => {
  it("records by whole and short ids, files by their paths, each once", async () => {
    const hive = await projectHive()
    const { entity_id: plan } = await callTool(hive, "plan create", { title: "P", acceptance: [] })
    const short = plan.slice(0, 35)
    const related_to = [plan, short, "src/db.ts", "./src/db.ts", join(hive.dir, "src/db.ts")]
    const saved = await anchor(hive, "save", { key: "A", value: "x", related_to })
    const [artifact] = [...hive.store.read().state.artifact.values()]
    const file = { path: "src/db.ts", hash: expect.any(String), plan_id: null, task_id: null }
    expect(artifact).toMatchObject(file)
    expect(saved.related_to).toEqual([plan, artifact?.id])
  })

  it.each([
    ["../outside.ts", "invalid_argument"],
    ["/etc/hostname", "invalid_argument"],
    ["src", "invalid_argument"],
    ["src/missing.ts", "not_found"],
    ["0123abcd", "not_found"],
    ["00000000-0000-4000-8000-00000000dead", "orphan"],
  ])("refuses %s, and nothing is written", async (wrong, code) => {
    const hive = await projectHive()
    const related_to = ["src/db.ts", wrong]
    const reply = await anchor(hive, "save", { key: "A", value: "x", related_to })
    expect(reply).toMatchObject({ status: "error", code })
    expect(await hive.store.log()).toEqual([])
  })

  it("a changed file makes it stale until it is updated; the other anchor of the file stays stale", async () => {
    const hive = await projectHive()
    for (const key of ["A", "B"]) await anchor(hive, "save", { key, value: "x", related_to: ["src/db.ts"] })
    await writeFile(join(hive.dir, "src/db.ts"), "other")
    const stale = async () => {
      const { anchors: shown } = await anchor(hive, "list")
      return shown.filter((each: { stale?: boolean }) => each.stale).map(({ key }: { key: string }) => key)
    }
    expect((await stale()).sort()).toEqual(["A", "B"])
    await anchor(hive, "update", { key: "A", value: "as it is now" })
    expect(await stale()).toEqual(["B"])
    await anchor(hive, "save", { key: "C", value: "x", related_to: ["src/db.ts"] })
    expect(await stale()).toEqual(["B"])
  })
})
