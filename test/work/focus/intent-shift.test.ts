import { describe, expect, it } from "vitest"
import { runToEnd } from "../../../src/shared/slices.ts"
import { findShift } from "../../../src/work/focus/intent-shift.ts"
import { graphOf } from "../../support/graph.ts"

function project() {
  const g = graphOf()
  const plan = g.plan("Shop")
  const backend = g.phase(plan, "Backend")
  const frontend = g.phase(plan, "Frontend pages")
  const api = g.task(backend, "Build the orders API", { status: "active" })
  const ui = g.task(frontend, "Fix the UI of the checkout page")
  g.task(frontend, "Fix the colours of the cart page")
  g.task(backend, "Rewrite the invoice printer", { status: "review" })
  const done = g.task(backend, "Migrate the database", { status: "completed" })
  return { g, ui, api, done, frontend, head: g.head("Ship", plan, backend, api) }
}

describe("the user's words", () => {
  const { g, ui, frontend, head } = project()
  const shifts: [string, string | undefined][] = [
    ["Wait, fix the checkout UI first", ui.id],
    ["hold on - let's do the checkout page UI instead", ui.id],
    ["Actually, switch to the frontend pages", frontend.id],
    ["Fix the checkout UI page", undefined],
    ["Wait, what does this do?", undefined],
    ["Wait, fix the page first", undefined],
    ["Let's do the orders API first", undefined],
    ["Wait, migrate the database first", undefined],
    ["Wait, rewrite the invoice printer first", undefined],
    ["wait", undefined],
    ["First of all, thank you. Instead of a list, show a table in your answers.", undefined],
  ]
  for (const [text, expected] of shifts) {
    it(`"${text}" ${expected === undefined ? "moves nothing" : "moves the read-head"}`, () => {
      expect(runToEnd(findShift(g.state, head, text))?.id).toBe(expected)
    })
  }
})
