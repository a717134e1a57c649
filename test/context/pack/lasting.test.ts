import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

const DAY_MS = 24 * 3_600_000

function atWork() {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build the form", { status: "active" })
  return { g, plan, phase, task, head: g.head("Add a login page", plan, phase, task) }
}

it("an old decision comes before newer notes, and nothing that is not shown goes uncounted", () => {
  const { g, head } = atWork()
  const old = g.mem("Postgres over MongoDB", {
    kind: "decision",
    resolved: true,
    stale_at: null,
    created_at: new Date(T0 - 20 * DAY_MS).toISOString(),
  })
  for (let n = 0; n < 300; n++)
    g.mem(`Note ${n}`, { stale_at: null, created_at: new Date(T0 - (3 + n / 1000) * DAY_MS).toISOString() })
  for (let n = 0; n < 5; n++) g.mem(`Past ${n}`, { stale_at: g.at(-1), origin: "commit" })
  const { items, xml } = pack(g.state, head, { now: T0, budget: 3750, archivedCount: 7, more: "ask" })
  expect(items.map(({ id }) => id)).toContain(old.id)
  const shown = items.filter(({ role }) => role === "mem").length
  expect(xml).toContain(`<left_out mems="${301 + 5 + 7 - shown}" more="ask"/>`)
})

it("a subagent gets only false paths of its own task", () => {
  const { g, task, head } = atWork()
  const other = g.task(g.phase(g.plan("Billing"), "Export"), "Write the export")
  for (let n = 0; n < 20; n++)
    g.mem(`Tried ${n}`, { kind: "false_path", reason: "no", origin_task_id: other.id })
  const own = g.mem("Sign with passport", { kind: "false_path", reason: "no", origin_task_id: task.id })
  const { items } = pack(g.state, head, { now: T0, isScoped: true, budget: 4000 })
  const avoided = items.filter(({ role }) => role === "avoid").map(({ id }) => id)
  expect(avoided).toEqual([own.id])
})

it("failed tasks of the plan are shown with why, those of another plan are not", () => {
  const { g, phase, head } = atWork()
  const failed = { status: "failed", reason: "the cookie is too large" } as const
  g.task(phase, "Keep the session in a cookie", failed)
  g.task(g.phase(g.plan("Billing"), "Export"), "Write the export", failed)
  const { xml } = pack(g.state, head, { now: T0, budget: 4000 })
  expect(xml).toMatch(
    /<anti_patterns>\n<failed id="\w+">Keep the session in a cookie — the cookie is too large<\/failed>\n<\/anti/,
  )
  expect(xml).not.toContain("Write the export")
})
