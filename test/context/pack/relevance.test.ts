import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { rankMems } from "../../../src/context/pack/relevance.ts"
import { placeOf } from "../../../src/graph/place.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { T0 } from "../../support/records.ts"
import { atWork } from "../at-work.ts"

const DAY_MS = 24 * 3_600_000
const NOW = T0 + 60 * 3_600_000

function workWithRules() {
  const work = atWork({ file: "src/login.ts" })
  const { g, head, phase } = work
  const beside = g.task(phase, "Logout", { status: "completed" })
  const byRule = (content: string, more: Partial<Mem> = {}) =>
    g.mem(content, { origin: "finished_task", kind: "fact", confidence: 0.6, created_at: g.at(60), ...more })
  const best = () => rankMems(g.state, placeOf(g.state, head), NOW).best.map(({ mem }) => mem.content)
  return { ...work, beside, byRule, best }
}

it("an extracted mem ranks below each saved mem that is equally near, however old that is", () => {
  const { g, task, beside, byRule, best } = workWithRules()
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

it("hundreds of new extracted mems do not displace saved ones", () => {
  const { g, task, beside, byRule, best } = workWithRules()
  for (let n = 0; n < 50; n++) g.mem(`saved ${n}`)
  for (let n = 0; n < 100; n++) {
    byRule(`task ${n}`, { origin_task_id: task.id })
    byRule(`phase ${n}`, { origin_task_id: beside.id })
    byRule(`recent ${n}`)
  }
  const order = best()
  expect(order.filter((content) => content.startsWith("saved"))).toHaveLength(50)
  expect(order).toHaveLength(55)
})

it("a mem of an anchor is shown only after the anchor is gone", () => {
  const { g, head, byRule } = workWithRules()
  const anchor = g.anchor("DB", "Postgres", { type: "decision" })
  byRule("DB: Postgres", { related_to: [anchor.id], kind: "decision", resolved: true })
  const shown = () => pack(g.state, head, { now: NOW, budget: 6000 }).xml
  expect(shown()).toContain("Postgres</anchor>")
  expect(shown()).not.toContain("<mem ")
  expect(shown()).not.toContain("left_out")
  g.state.anchor.set(anchor.id, { ...anchor, status: "removed" })
  expect(shown()).toContain("DB: Postgres</mem>")
})

it("an old decision comes before newer notes, and everything that is not shown is counted", () => {
  const { g, head } = atWork()
  const daysAgo = (days: number) => ({
    stale_at: null,
    created_at: new Date(T0 - days * DAY_MS).toISOString(),
  })
  const old = g.mem("Postgres over MongoDB", { kind: "decision", resolved: true, ...daysAgo(20) })
  for (let n = 0; n < 300; n++) g.mem(`Note ${n}`, daysAgo(3 + n / 1000))
  for (let n = 0; n < 5; n++) g.mem(`Past ${n}`, { stale_at: g.at(-1), origin: "commit" })
  const { items, xml } = pack(g.state, head, { now: T0, budget: 3750, archivedCount: 7, more: "ask" })
  expect(items.map(({ id }) => id)).toContain(old.id)
  const shown = items.filter(({ role }) => role === "mem").length
  expect(xml).toContain(`<left_out mems="${301 + 5 + 7 - shown}" more="ask"/>`)
})

it("a subagent gets only false paths of its own task", () => {
  const { g, task, head } = atWork()
  const other = g.task(g.phase(g.plan("Billing"), "Export"), "Write the export")
  const failed = { kind: "false_path", reason: "no" } as const
  for (let n = 0; n < 20; n++) g.mem(`Tried ${n}`, { ...failed, origin_task_id: other.id })
  const own = g.mem("Sign with passport", { ...failed, origin_task_id: task.id })
  const { items } = pack(g.state, head, { now: T0, isScoped: true, budget: 4000 })
  expect(items.filter(({ role }) => role === "avoid").map(({ id }) => id)).toEqual([own.id])
})

it("failed tasks of the plan are shown with the reason, those of another plan are not", () => {
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
