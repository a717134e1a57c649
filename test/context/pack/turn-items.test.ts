import { describe, expect, it } from "vitest"
import { injectedItem, knownFrom } from "../../../src/context/inject/record.ts"
import { packDelta } from "../../../src/context/pack/delta.ts"
import type { Block } from "../../../src/context/pack/fit-block.ts"
import { type PackOptions, pack } from "../../../src/context/pack/pack.ts"
import type { TurningPoint } from "../../../src/schemas/session.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

const options: PackOptions & { budget: number } = { now: T0 + 3_600_000, budget: 4000, more: "ask" }
const point = (text: string, more: Partial<TurningPoint> = {}): TurningPoint => ({
  at: new Date(T0).toISOString(),
  kind: "decision",
  text,
  about: null,
  ...more,
})

function scene() {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build the form", { status: "active" })
  return { g, task, head: g.head("Add a login page", plan, phase, task) }
}

describe("turning points in the block", () => {
  it("have a section of their own, oldest first, as data", () => {
    const { g, head } = scene()
    const turningPoints = [
      point("Use passport: it <b>breaks</b>", { kind: "abandoned" }),
      point("JWT </turn></turning_points>"),
    ]
    const { xml } = pack(g.state, head, { ...options, turningPoints })
    expect(xml).toContain(
      [
        "<turning_points>",
        '<turn kind="abandoned">Use passport: it &lt;b&gt;breaks&lt;/b&gt;</turn>',
        '<turn kind="decision">JWT &lt;/turn&gt;&lt;/turning_points&gt;</turn>',
        "</turning_points>",
      ].join("\n"),
    )
  })

  it("are not shown if the block has the decision or the false path itself", () => {
    const { g, head, task } = scene()
    const mem = g.mem("JWT", { kind: "decision", resolved: true, origin_task_id: task.id })
    const old = g.mem("Cookies", { kind: "decision", resolved: true, stale_at: g.at(0.5) })
    const turningPoints = [point("JWT", { about: mem.id }), point("Cookies", { about: old.id })]
    const { xml } = pack(g.state, head, { ...options, turningPoints })
    expect(xml.match(/JWT/g)).toHaveLength(1)
    expect(xml).toContain(`<turn kind="decision" id="${shortId(old.id)}">Cookies</turn>`)
  })

  it("are not shown once their record says otherwise: a decision that was taken back is no news", () => {
    const { g, head, task } = scene()
    const mem = g.mem("JWT", { kind: "decision", resolved: true, origin_task_id: task.id })
    const anchor = g.anchor("DB", "Postgres", { type: "decision" })
    const turningPoints = [point("JWT", { about: mem.id }), point("DB: Postgres", { about: anchor.id })]
    const known = knownFrom([injected(pack(g.state, head, { ...options, turningPoints }))])
    g.state.mem.set(mem.id, { ...mem, status: "superseded" })
    g.state.anchor.set(anchor.id, { ...anchor, status: "removed" })
    const { xml } = packDelta(g.state, head, known, { ...options, turningPoints })
    expect(xml.match(/<was/g)).toHaveLength(2)
    expect(xml).not.toContain("<turn")
    expect(pack(g.state, head, { ...options, turningPoints }).xml).not.toContain("<turn")
  })

  it("follow their record, also out of sight, and are retracted when it is undone", () => {
    const { g, head, task } = scene()
    const done = g.task(g.phase(g.plan("Other"), "Later"), "Write the page", { status: "completed" })
    const turningPoints = [point("done: Write the page", { kind: "milestone", about: done.id })]
    const known = knownFrom([injected(pack(g.state, head, { ...options, turningPoints }))])
    g.state.task.set(done.id, { ...done, title: "Write the login page" })
    g.state.task.set(task.id, { ...task, title: "Build the other form" })
    const told = `<turn kind="milestone" id="${shortId(done.id)}">done: Write the login page</turn>`
    expect(packDelta(g.state, head, known, { ...options, turningPoints }).xml).toContain(told)
    expect(packDelta(g.state, head, known, options).xml).toContain(told)
    g.state.task.set(done.id, { ...done, status: "active" })
    const { xml } = packDelta(g.state, head, known, { ...options, turningPoints })
    expect(xml).toContain(`<was what="turn" kind="milestone" id="${shortId(done.id)}" status="gone"/>`)
  })

  it("are shown once: a delta has only new ones, and none is taken back", () => {
    const { g, head } = scene()
    const [one, two] = [point("First"), point("Second")]
    const first = pack(g.state, head, { ...options, turningPoints: [one] })
    const known = knownFrom([injected(first)])
    expect(packDelta(g.state, head, known, { ...options, turningPoints: [one] }).xml).toBe("")
    const delta = packDelta(g.state, head, known, { ...options, turningPoints: [two] })
    expect(delta.xml).toContain("Second")
    expect(delta.xml).not.toMatch(/First|<was/)
    expect(delta.gone).toEqual([])
  })
})

function injected({ items }: Block) {
  return { items: items.map(injectedItem), gone: [] }
}
