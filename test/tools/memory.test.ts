import { describe, expect, it } from "vitest"
import type { GraphState } from "../../src/graph/state.ts"
import { countTokens } from "../../src/shared/text/tokens.ts"
import { memoryHive } from "../support/hive.ts"
import { openStore } from "../support/open-store.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "./call-tool.ts"

const save = async (hive: ReturnType<typeof memoryHive>, content: string, more: object = {}) =>
  (await callTool(hive, "memory save", { content, ...more })).entity_id
const recall = (hive: ReturnType<typeof memoryHive>, query: string) =>
  callTool(hive, "memory recall", { query })

describe("hivemind_memory", () => {
  it("recall replies with short ids, contents and reasons", async () => {
    const hive = memoryHive()
    const id = await save(hive, "Sessions live in Redis", { kind: "decision", tags: ["auth"] })
    const mem = { id: id.slice(0, 8), kind: "decision", content: "Sessions live in Redis" }
    const mems = [{ ...mem, why: "words: sessions, live" }]
    expect(await recall(hive, "where do sessions live?")).toEqual({ status: "success", count: 1, mems })
    expect(await recall(hive, "photosynthesis")).toEqual({ status: "success", count: 0, mems: [] })
    expect(await recall(hive, " ")).toMatchObject({ status: "error", code: "invalid_argument" })
  })

  it("recall lists failed tasks with their reason, apart from the mems", async () => {
    const hive = memoryHive()
    await save(hive, "Sessions live in Redis")
    await hive.store.write(by, (tx) => {
      tx.add("plan", aPlan(1001))
      tx.add("phase", aPhase(1002, 1001))
      tx.add("task", aTask(1003, 1001, 1002, { title: "Move sessions to JWT" }))
      tx.add("task", aTask(1004, 1001, 1002, { title: "Move sessions to cookies" }))
    })
    const failed = { status: "failed", reason: "no revocation" } as const
    await hive.store.write(by, (tx) => tx.set("task", uuid(1003), failed))
    const failed_tasks = [{ title: "Move sessions to JWT", reason: "no revocation" }]
    expect(await recall(hive, "sessions in a jwt")).toMatchObject({ count: 1, failed_tasks })
    expect(await recall(hive, "redis")).not.toHaveProperty("failed_tasks")
  })

  it("a part of a mem is shown under it in the tree, and recall finds either by the other", async () => {
    const hive = memoryHive()
    const whole = await save(hive, "Sign-in goes through the identity provider", { kind: "decision" })
    const part = await save(hive, "Tokens are renewed every hour", { parent_mem_id: whole.slice(0, 8) })
    await save(hive, "Colours come from one file")
    const { parts } = await callTool(hive, "memory tree")
    const shown = [`${part.slice(0, 8)} Tokens are renewed every hour`]
    const of = `${whole.slice(0, 8)} Sign-in goes through the identity provider`
    expect(parts).toEqual([{ of, count: 1, parts: shown }])
    const why = async (query: string) =>
      (await recall(hive, query)).mems.map((mem: { id: string; why: string }) => [mem.id, mem.why])
    expect(await why("identity")).toEqual([
      [whole.slice(0, 8), "words: identity"],
      [part.slice(0, 8), `part of ${whole.slice(0, 8)}`],
    ])
    expect(await why("renewed")).toEqual([
      [part.slice(0, 8), "words: renewed"],
      [whole.slice(0, 8), `contains ${part.slice(0, 8)}`],
    ])
    const orphan = await callTool(hive, "memory save", { content: "x", parent_mem_id: uuid(77) })
    expect(orphan).toMatchObject({ status: "error", code: "orphan" })
  })

  it("recall of ten long mems stays within 2,500 tokens", async () => {
    const hive = memoryHive()
    for (let n = 0; n < 12; n++)
      await save(hive, `Cache rule ${n}: ${"the parser keeps its tokens for a while ".repeat(50)}`)
    const reply = await recall(hive, "cache rule")
    expect(reply.count).toBe(10)
    expect(countTokens(JSON.stringify(reply))).toBeLessThanOrEqual(2500)
  })

  it("flag makes a warning of a mem, with the reason, and it is never knowledge again", async () => {
    const hive = memoryHive()
    const id = await save(hive, "Use a global cache")
    const flagged = await callTool(hive, "memory flag", { mem_id: id, reason: "it leaked" })
    expect(flagged).toEqual({ status: "success", entity_id: id, reason: "it leaked" })
    expect(await callTool(hive, "memory list")).toMatchObject({ count: 0 })
    const warning = { kind: "false_path", status: "invalidated", reason: "it leaked" }
    expect((await recall(hive, "cache")).mems).toMatchObject([warning])
  })

  it("link ties two mems, each of which then brings the other along", async () => {
    const hive = memoryHive()
    const one = await save(hive, "Passwords use argon2")
    const two = await save(hive, "Bcrypt was too slow")
    for (const _ of [1, 2]) await callTool(hive, "memory link", { from: one, to: two })
    expect(hive.store.read().state.mem.get(one)?.related_to).toEqual([two])
    expect((await recall(hive, "argon2")).mems).toHaveLength(2)
    expect((await recall(hive, "bcrypt")).mems).toHaveLength(2)
    const wrong = await callTool(hive, "memory link", { from: one, to: "ffffffff" })
    expect(wrong).toMatchObject({ status: "error", code: "not_found" })
  })

  it("stale lists expired mems, and purge without an id purges only these", async () => {
    const hive = memoryHive()
    const old = await save(hive, "Old news", { ttl_hours: 0.01 })
    const kept = await save(hive, "Still true")
    hive.source.seconds += 3600
    expect(await callTool(hive, "memory stale")).toMatchObject({ count: 1, mems: [{ id: old }] })
    expect(await callTool(hive, "memory purge")).toEqual({ status: "success", entity_id: old, purged: 1 })
    expect(await callTool(hive, "memory purge")).toEqual({ status: "success", purged: 0 })
    expect((await recall(hive, "news")).mems).toEqual([])
    expect(await callTool(hive, "memory purge", { mem_id: kept })).toMatchObject({ purged: 1 })
    expect((await recall(hive, "true")).mems).toEqual([])
  })

  it("tree counts by shelf and kind, with the newest of each", async () => {
    const hive = memoryHive()
    await save(hive, "One", { kind: "fact", shelf: "auth" })
    await save(hive, "Two", { kind: "fact", shelf: "auth" })
    await save(hive, "Three", { kind: "decision" })
    const [two, one, three] = [/ Two$/, / One$/, / Three$/].map((title) => expect.stringMatching(title))
    expect((await callTool(hive, "memory tree")).tree).toEqual([
      { shelf: "auth", fact: { count: 2, newest: [two, one] } },
      { shelf: "context", decision: { count: 1, newest: [three] } },
    ])
  })

  it("flags, links and purges mems in the archive too, and undo takes it back", async () => {
    const leaving = (state: GraphState) => [...state.mem.values()]
    const hive = { ...memoryHive(), store: openStore(await tempProject(), { leaving }) }
    await hive.store.append(by, (tx) => {
      tx.add("mem", aMem(1, { content: "Use a global cache" }))
      tx.add("mem", aMem(2, { content: "Caches are per request", related_to: [uuid(1)] }))
    })
    await hive.store.fold()
    expect(hive.store.read().state.mem.size).toBe(0)
    // One that leans on it is no reason against: what came back from the archive stays there.
    await hive.store.append(by, (tx) => tx.add("mem", aMem(3, { related_to: [uuid(1)] })))
    const flag = { action: "flag", mem_id: uuid(1).slice(0, 36), reason: "it leaked" }
    expect(await callTool(hive, "memory", flag)).toMatchObject({ status: "success" })
    const found = async () => (await recall(hive, "global cache")).mems[0]
    expect(await found()).toMatchObject({ content: "Use a global cache", status: "invalidated" })
    const [entry] = await hive.store.log({ limit: 1 })
    await hive.store.undo(entry?.id ?? "", by)
    for (const _ of ["before a fold", "after it"]) {
      expect(await found()).toMatchObject({ content: "Use a global cache" })
      expect(await found()).not.toHaveProperty("status")
      await hive.store.fold()
    }
    await callTool(hive, "memory purge", { mem_id: uuid(1) })
    await hive.store.fold()
    expect((await recall(hive, "global")).mems).toEqual([])
  })
})
