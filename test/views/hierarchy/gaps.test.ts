import { describe, expect, it, test } from "vitest"
import { runToEnd } from "../../../src/shared/slices.ts"
import { gapsOf, gapToNow } from "../../../src/views/hierarchy/gaps.ts"
import { treeOf } from "../../../src/views/hierarchy/tree.ts"
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
    expect(runToEnd(gapToNow(g.state, tree, T0 + ms + ms))).toEqual({ ms, severity })
  })

  it("a child older than its parent, and a clock that went back, are no gap", () => {
    const g = graphOf()
    const plan = g.plan("Root", { created_at: timeAt(9_000_000) })
    const phase = g.phase(plan, "Tactic", { created_at: timeAt(0) })
    const tree = treeOf(g.state, g.head("x", plan, phase))
    expect(gapsOf(tree.roots)).toMatchObject([{ ms: 0, severity: "healthy" }])
    expect(runToEnd(gapToNow(g.state, tree, T0))).toEqual({ ms: 0, severity: "healthy" })
  })

  it("up to now there is none without a read-head", () => {
    const { state } = graphOf()
    expect(runToEnd(gapToNow(state, treeOf(state, undefined), T0))).toBeNull()
  })

  it("up to now end with the last step on the way or below, not with what was planned days ago", () => {
    const g = graphOf()
    const plan = g.plan("Root")
    const phase = g.phase(plan, "Tactic")
    const task = g.task(phase, "Task", { status: "active" })
    const other = g.task(phase, "Beside it", { status: "failed", updated_at: g.at(47) })
    const sinceAt = (...tasks: (typeof task)[]) =>
      runToEnd(
        gapToNow(g.state, treeOf(g.state, g.head("x", plan, phase, ...tasks)), T0 + 48 * 60 * MINUTE_MS),
      )
    expect(sinceAt(task)).toMatchObject({ severity: "stale" })
    expect(sinceAt()).toEqual({ ms: 60 * MINUTE_MS, severity: "warm" })
    g.checkpoint(task, { created_at: g.at(47.75) })
    expect(sinceAt(task)).toEqual({ ms: 15 * MINUTE_MS, severity: "healthy" })
    expect(sinceAt(other)).toEqual({ ms: 60 * MINUTE_MS, severity: "warm" })
  })
})
