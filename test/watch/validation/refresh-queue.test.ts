import { describe, expect, it } from "vitest"
import { makeGroups } from "../../../src/graph/state.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { refreshQueue } from "../../../src/watch/validation/refresh-queue.ts"
import { graphOf } from "../../support/graph.ts"
import { aMem, T0, uuid } from "../../support/records.ts"

const HOUR_MS = 3_600_000
// All mems are made at T0; their life ends where a test says.
const at = (hours: number) => T0 + hours * HOUR_MS

function scene() {
  const g = graphOf()
  const plan = g.plan("Open")
  const phase = g.phase(plan, "Phase")
  const open = g.task(phase, "Open", { status: "planned" })
  const over = g.task(phase, "Over", { status: "completed" })
  const names = (now: number) => refreshQueue(g.state, now).map(({ title }) => title)
  return { g, plan, phase, open, over, names }
}

describe("mems", () => {
  it("come up in the last quarter of their life, at most 12 hours before its end", () => {
    const { g, names } = scene()
    g.mem("a day", { stale_at: g.at(24) })
    g.mem("ten days", { stale_at: g.at(240) })
    g.mem("never", { stale_at: null })
    expect(names(at(17))).toEqual([])
    expect(names(at(18))).toEqual(["a day"])
    expect(names(at(227))).toEqual([])
    expect(names(at(228))).toEqual(["ten days"])
  })

  it("past their time only what open work leans on", () => {
    const { g, plan, phase, open, over, names } = scene()
    const stale_at = g.at(4)
    g.mem("of an open task", { stale_at, origin_task_id: open.id })
    g.mem("of a finished task", { stale_at, origin_task_id: over.id })
    g.mem("related to an open plan", { stale_at, origin_task_id: over.id, related_to: [plan.id] })
    g.mem("related to an open phase", { stale_at, related_to: [phase.id] })
    g.mem("of a document of an open plan", {
      stale_at,
      related_to: [g.artifact("a.md", { plan_id: plan.id }).id],
    })
    g.mem("of nothing", { stale_at })
    expect(names(at(5)).sort()).toEqual([
      "of a document of an open plan",
      "of an open task",
      "related to an open phase",
      "related to an open plan",
    ])
    expect(names(at(3.5)).sort()).toContain("of nothing")
    expect(names(at(3.5))).not.toContain("of a finished task")
  })

  it("only knowledge: no false paths, nothing open, nothing taken back", () => {
    const { g, open, names } = scene()
    const due = { stale_at: g.at(4), origin_task_id: open.id }
    g.mem("failed", { ...due, kind: "false_path" })
    g.mem("open", { ...due, kind: "decision", resolved: false })
    g.mem("purged", { ...due, status: "purged" })
    expect(names(at(5))).toEqual([])
  })
})

describe("anchors", () => {
  it("come up 12 hours before their two days are over, and stay while what they are about is open", () => {
    const { g, open, over, names } = scene()
    g.anchor("OPEN", "x", { related_to: [open.id] })
    g.anchor("OVER", "x", { related_to: [over.id] })
    g.anchor("WHOLE", "x")
    g.anchor("GONE", "x", { status: "removed" })
    expect(names(at(35))).toEqual([])
    expect(names(at(36)).sort()).toEqual(["OPEN: x", "WHOLE: x"])
    expect(names(at(90)).sort()).toEqual(["OPEN: x", "WHOLE: x"])
  })

  it("marked stale they are due at once", () => {
    const { g } = scene()
    const anchor = g.anchor("A", "x", { status: "stale" })
    expect(refreshQueue(g.state, at(1))).toEqual([
      { kind: "anchor", id: anchor.id, title: "A: x", stale_at: g.at(1) },
    ])
  })
})

it("the most urgent comes first, titles are short, and there are never more than twenty", () => {
  const { g, open } = scene()
  for (let n = 0; n < 40; n++)
    g.mem(`${n} ${"words ".repeat(50)}`, { stale_at: g.at(10 - n / 10), origin_task_id: open.id })
  g.anchor("LAST", "x")
  const queue = refreshQueue(g.state, at(40))
  expect(queue).toHaveLength(20)
  expect(queue.map(({ stale_at }) => stale_at)).toEqual(queue.map(({ stale_at }) => stale_at).sort())
  expect(queue[0]?.title).toMatch(/^39 words/)
  for (const { title } of queue) expect(title.length).toBeLessThanOrEqual(81)
})

it("looks at few of ten thousand mems", () => {
  const { g } = scene()
  let looks = 0
  for (let n = 0; n < 10_000; n++) {
    const mem: Mem = aMem(0, { id: uuid(10_000 + n), stale_at: g.at(n < 10 ? 1 : 100) })
    Object.defineProperty(mem, "origin_task_id", {
      get: () => {
        looks++
        return null
      },
    })
    g.state.mem.set(mem.id, mem)
  }
  runToEnd(makeGroups(g.state))
  looks = 0
  refreshQueue(g.state, at(50))
  expect(looks).toBe(10)
})
