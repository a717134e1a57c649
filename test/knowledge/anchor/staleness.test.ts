import { describe, expect, it } from "vitest"
import { purgeAnchors } from "../../../src/knowledge/anchor/anchors.ts"
import { staleAnchors } from "../../../src/knowledge/anchor/staleness.ts"
import type { Anchor } from "../../../src/schemas/knowledge.ts"
import type { Task } from "../../../src/schemas/task.ts"
import { filesOf, stateOf } from "../../support/files.ts"
import { graphOf } from "../../support/graph.ts"
import { memoryHive } from "../../support/hive.ts"
import { anAnchor, by, T0 } from "../../support/records.ts"

const HOUR_MS = 3_600_000
const caller = { session: null, agent: null, tool: "test" }

describe("an anchor goes stale", () => {
  it.each<[string, Record<string, string | undefined>, string[]]>([
    ["its file is as it was", { "a.ts": "x" }, []],
    ["its file has changed", { "a.ts": "y" }, ["file"]],
    ["its file is gone", {}, ["file"]],
    ["its file cannot be read", { "a.ts": undefined }, []],
  ])("%s", (_, texts, expected) => {
    const g = graphOf()
    const file = g.artifact("a.ts", stateOf("a.ts", "x"))
    const unread = g.artifact("b.ts", { hash: null })
    g.anchor("A", "x", { related_to: [unread.id, file.id] })
    expect(staleAnchors(g.state, filesOf(texts), T0).map(({ why }) => why)).toEqual(expected)
  })

  it.each<[Anchor["type"], Task["status"], string[]]>([
    ["context", "active", []],
    ["context", "completed", []],
    ["task", "completed", ["task"]],
    ["task", "review", []],
    ["decision", "failed", ["task"]],
    ["context", "invalidated", ["task"]],
  ])("type %s, its task is %s", (type, status, expected) => {
    const g = graphOf()
    const plan = g.plan("P")
    const task = g.task(g.phase(plan, "Phase"), "T", { status, updated_at: g.at(1) })
    g.anchor("A", "x", { type, related_to: [plan.id, task.id] })
    expect(staleAnchors(g.state, filesOf({}), T0).map(({ why }) => why)).toEqual(expected)
  })

  it("not if the task ended before the anchor's last update", () => {
    const g = graphOf()
    const task = g.task(g.phase(g.plan("P"), "Phase"), "T", { status: "failed", updated_at: g.at(1) })
    g.anchor("A", "x", { related_to: [task.id], updated_at: g.at(2) })
    expect(staleAnchors(g.state, filesOf({}), T0)).toEqual([])
  })

  it("by age after 48 hours; marked or removed anchors are left out", () => {
    const g = graphOf()
    g.anchor("A", "x")
    g.anchor("B", "x", { status: "stale" })
    g.anchor("C", "x", { status: "removed" })
    expect(staleAnchors(g.state, filesOf({}), T0 + 48 * HOUR_MS)).toEqual([])
    expect(staleAnchors(g.state, filesOf({}), T0 + 49 * HOUR_MS)).toMatchObject([
      { anchor: { key: "A" }, why: "age" },
    ])
  })
})

it("the purge takes anchors that are marked stale, not critical, no decisions, and older than two days", async () => {
  const hive = memoryHive()
  const make = (n: number, more: Partial<Anchor>) => anAnchor(n, { key: `K${n}`, ...more })
  await hive.store.write(by, (tx) => {
    tx.add("anchor", make(1, {}))
    tx.add("anchor", make(2, {}))
    tx.add("anchor", make(3, { priority: "critical" }))
    tx.add("anchor", make(5, { type: "decision" }))
    tx.add("anchor", make(4, { updated_at: new Date(T0 + 40 * HOUR_MS).toISOString() }))
  })
  await hive.store.write(by, (tx) => {
    for (const anchor of [...tx.all("anchor")].slice(1)) tx.set("anchor", anchor.id, { status: "stale" })
  })
  expect(await purgeAnchors(hive, caller)).toBe(0)
  hive.source.seconds = 49 * 3600
  expect(await purgeAnchors(hive, caller)).toBe(1)
  expect([...hive.store.read().state.anchor.values()].map(({ status }) => status)).toEqual([
    "active",
    "removed",
    "stale",
    "stale",
    "stale",
  ])
  const entries = (await hive.store.log()).length
  expect(await purgeAnchors(hive, caller)).toBe(0)
  expect(await hive.store.log()).toHaveLength(entries)
})
