import { describe, expect, it } from "vitest"
import { packDelta } from "../../../src/context/pack/delta.ts"
import { type PackOptions, pack } from "../../../src/context/pack/pack.ts"
import type { TurningPoint } from "../../../src/schemas/session.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { T0 } from "../../support/records.ts"
import { atWork, knownOf } from "../at-work.ts"

const options: PackOptions & { budget: number } = { now: T0 + 3_600_000, budget: 4000, more: "ask" }
const point = (text: string, more: Partial<TurningPoint> = {}): TurningPoint => ({
  at: new Date(T0).toISOString(),
  kind: "decision",
  text,
  about: null,
  ...more,
})

describe("turning points in the block", () => {
  it("have a section of their own, oldest first, as data", () => {
    const { g, head } = atWork()
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
    const { g, head, task } = atWork()
    const mem = g.mem("JWT", { kind: "decision", resolved: true, origin_task_id: task.id })
    const old = g.mem("Cookies", { kind: "decision", resolved: true, stale_at: g.at(0.5) })
    const turningPoints = [point("JWT", { about: mem.id }), point("Cookies", { about: old.id })]
    const { xml } = pack(g.state, head, { ...options, turningPoints })
    expect(xml.match(/JWT/g)).toHaveLength(1)
    expect(xml).toContain(`<turn kind="decision" id="${shortId(old.id)}">Cookies</turn>`)
  })

  it("are shown once: a delta has only new ones, and retracts none", () => {
    const { g, head } = atWork()
    const [one, two] = [point("First"), point("Second")]
    const first = pack(g.state, head, { ...options, turningPoints: [one] })
    const known = knownOf(first)
    expect(packDelta(g.state, head, known, { ...options, turningPoints: [one] }).xml).toBe("")
    const delta = packDelta(g.state, head, known, { ...options, turningPoints: [two] })
    expect(delta.xml).toContain("Second")
    expect(delta.xml).not.toMatch(/First|<was/)
    expect(delta.gone).toEqual([])
  })
})
