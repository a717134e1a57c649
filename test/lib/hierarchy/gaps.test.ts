import { describe, expect, it, test } from "vitest"
import { gapsOf, gapToNow } from "../../../src/lib/hierarchy/gaps.ts"
import { treeOf } from "../../../src/lib/hierarchy/tree.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

const MINUTE_MS = 60_000
const timeAt = (ms: number) => new Date(T0 + ms).toISOString()

describe("gaps", () => {
  it("are measured from the parent for the eldest child, from the elder sibling for the others", () => {
    const g = graphOf()
    const plan = g.plan("Root", { created_at: timeAt(0) })
    const phase = g.phase(plan, "Tactic", { created_at: timeAt(15 * MINUTE_MS) })
    const first = g.task(phase, "First", { created_at: timeAt(30 * MINUTE_MS) })
    const second = g.task(phase, "Second", { created_at: timeAt(240 * MINUTE_MS) })
    expect(gapsOf(treeOf(g.state, undefined).roots)).toEqual([
      { from: plan.id, to: phase.id, relation: "parent-child", ms: 15 * MINUTE_MS, severity: "healthy" },
      { from: phase.id, to: first.id, relation: "parent-child", ms: 15 * MINUTE_MS, severity: "healthy" },
      { from: first.id, to: second.id, relation: "sibling", ms: 210 * MINUTE_MS, severity: "stale" },
    ])
  })

  test.each([
    [30 * MINUTE_MS - 1, "healthy"],
    [30 * MINUTE_MS, "warm"],
    [120 * MINUTE_MS - 1, "warm"],
    [120 * MINUTE_MS, "stale"],
  ])("%d ms are %s, between nodes and up to now", (ms, severity) => {
    const g = graphOf()
    const plan = g.plan("Root", { created_at: timeAt(0) })
    const phase = g.phase(plan, "Tactic", { created_at: timeAt(ms) })
    const tree = treeOf(g.state, g.head("x", plan, phase))
    expect(gapsOf(tree.roots)).toMatchObject([{ ms, severity }])
    expect(gapToNow(tree, T0 + ms + ms)).toEqual({ ms, severity })
  })

  it("a child older than its parent, and a clock that went back, are no gap", () => {
    const g = graphOf()
    const plan = g.plan("Root", { created_at: timeAt(9_000_000) })
    const phase = g.phase(plan, "Tactic", { created_at: timeAt(0) })
    const tree = treeOf(g.state, g.head("x", plan, phase))
    expect(gapsOf(tree.roots)).toMatchObject([{ ms: 0, severity: "healthy" }])
    expect(gapToNow(tree, T0)).toEqual({ ms: 0, severity: "healthy" })
  })

  it("up to now there is none where the read-head stands nowhere", () => {
    expect(gapToNow(treeOf(graphOf().state, undefined), T0)).toBeNull()
  })
})
