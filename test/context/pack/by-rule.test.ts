import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { rankMems } from "../../../src/context/pack/relevance.ts"
import { placeOf } from "../../../src/graph/place.ts"
import { memByRule } from "../../../src/knowledge/memory/by-rule.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { graphOf } from "../../support/graph.ts"
import { T0, uuid } from "../../support/records.ts"

const NOW = T0 + 60 * 3_600_000

/** A plan with a task at hand and one beside it, and a way to add mems as a rule would: fresher than any that was saved. */
function atWork() {
  const g = graphOf()
  const plan = g.plan("Auth")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Login", { status: "active", file: "src/login.ts" })
  const beside = g.task(phase, "Logout", { status: "completed" })
  let count = 0
  const byRule = (content: string, more: Partial<Omit<Mem, "origin">> = {}) => {
    const base = {
      id: uuid(++count),
      shelf: "done",
      origin: "finished_task",
      kind: "fact",
      content,
      session_id: null,
    } as const
    const mem = memByRule({ ...base, stamp: "301411022026", ...more }, new Date(NOW).toISOString(), 72)
    g.state.mem.set(mem.id, mem)
    return mem
  }
  const best = () => rankMems(g.state, placeOf(g.state, head), NOW).best.map(({ mem }) => mem.content)
  const head = g.head("x", plan, phase, task)
  return { g, head, task, beside, byRule, best }
}

it("a fresh mem that a rule made ranks below every saved one of the same nearness, however old that is", () => {
  const { g, task, beside, byRule, best } = atWork()
  const ties: [string, Partial<Mem>][] = [
    ["task", { origin_task_id: task.id }],
    ["phase", { origin_task_id: beside.id }],
    ["files", { evidence: ["src/login.ts"] }],
    ["recent", {}],
  ]
  for (const [name, tie] of ties) {
    byRule(`rule ${name}`, tie)
    g.mem(`saved ${name}`, tie)
  }
  const order = best()
  expect(order).toHaveLength(8)
  for (const [name] of ties)
    expect(order.indexOf(`saved ${name}`)).toBeLessThan(order.indexOf(`rule ${name}`))
})

it("hundreds of them, near and new, push out nothing that people saved", () => {
  const { g, task, beside, byRule, best } = atWork()
  const saved = Array.from({ length: 50 }, (_, n) => g.mem(`saved ${n}`).content)
  for (let n = 0; n < 100; n++) {
    byRule(`task ${n}`, { origin_task_id: task.id })
    byRule(`phase ${n}`, { origin_task_id: beside.id })
    byRule(`recent ${n}`)
  }
  const order = best()
  expect(order.filter((content) => content.startsWith("saved"))).toHaveLength(saved.length)
  expect(order).toHaveLength(55)
})

it("a mem of an anchor is shown only after the anchor is gone", () => {
  const { g, head, byRule } = atWork()
  const anchor = g.anchor("DB", "Postgres", { type: "decision" })
  byRule("DB: Postgres", { related_to: [anchor.id], kind: "decision", resolved: true })
  const shown = () => pack(g.state, head, { now: NOW, budget: 6000 }).xml
  expect(shown()).toContain("Postgres</anchor>")
  expect(shown()).not.toContain("<mem ")
  expect(shown()).not.toContain("left_out")
  g.state.anchor.set(anchor.id, { ...anchor, status: "removed" })
  expect(shown()).toContain("DB: Postgres</mem>")
})
