import { readdirSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyOp, emptyState, type GraphState } from "../../src/graph/state.ts"
import { draftOps } from "../../src/graph/transaction.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import type { Op } from "../../src/schemas/op.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import type { Store } from "../../src/store/store.ts"
import { acknowledge, countEvent } from "../../src/watch/count-event.ts"
import type { SessionEvent } from "../../src/watch/counting-rules.ts"
import { driftReport } from "../../src/watch/drift-report.ts"
import { metricsOf, type Streak, streakLength } from "../../src/watch/session-metrics.ts"
import { activeSignals } from "../../src/watch/signals.ts"
import { memoryHive } from "../support/hive.ts"
import { T0, uuid } from "../support/records.ts"
import { aCall } from "../support/session-metrics.ts"
import { tempProject } from "../support/temp-project.ts"

const caller = { session: "ses_1", agent: "build", tool: "test" }
const failing = aCall({ tool: "bash", use: "run", ok: false })
const metrics = (hive: Hive, session = "ses_1") => metricsOf(hive.store.read().state, session)
const row = (hive: Hive, name: Streak) => streakLength(metrics(hive), name)

describe("counting", () => {
  it("makes one write per event, none without changes, and no log entry", async () => {
    const { hive, writes } = recordingHive()
    const message: SessionEvent = { what: "user message", taskId: null, text: "" }
    await countEvent(hive, caller, message)
    await countEvent(hive, caller, aCall())
    expect(writes.filter((ops) => ops.length > 0)).toHaveLength(2)
    for (const _ of [1, 2]) await countEvent(hive, caller, { what: "good turn", said: "" })
    expect(writes.filter((ops) => ops.length > 0)).toHaveLength(3)
    expect(await hive.store.log()).toEqual([])
  })

  it("counts calls that end together, each session apart", async () => {
    const project = await tempProject()
    await createLayout(project)
    const hive = fileHive(project)
    for (const _ of [1, 2, 3]) await countEvent(hive, caller, failing)
    const reads = [1, 2].map((n) => aCall({ args: { n } }))
    const together = [aCall({ use: "write" }), ...reads, failing, failing]
    await Promise.all(together.map((each) => countEvent(hive, caller, each)))
    await countEvent(hive, { ...caller, session: "ses_2" }, aCall())
    expect(row(hive, "failed_steps")).toBe(2)
    expect(metrics(hive, "ses_2").counts["tool_failures"]).toBeUndefined()
    expect(metrics(hive).counts).toMatchObject({ "calls read": 2, tool_failures: 5 })
    await hive.store.close()
  })

  it("goes on after a failed write", async () => {
    const { store, ...hive } = memoryHive()
    let isFull = true
    const append: Store["append"] = (by, build) =>
      isFull ? Promise.reject(new Error("disk full")) : store.append(by, build)
    const filling = { ...hive, store: { ...store, append } }
    await expect(countEvent(filling, caller, failing)).rejects.toThrow("disk full")
    isFull = false
    await countEvent(filling, caller, failing)
    expect(row(filling, "failed_steps")).toBe(1)
  })

  it("creates nothing in a project without a hive", async () => {
    const project = await tempProject()
    const hive = fileHive(project)
    expect(await countEvent(hive, caller, failing)).toEqual([])
    expect(readdirSync(project)).toEqual([])
    await hive.store.close()
  })

  it("gives the same signals in any order of counts and registers", async () => {
    const { hive, writes } = recordingHive()
    for (const each of EVENTS) await countEvent(hive, caller, each)
    const ops = writes.flat()
    const counting = ops.filter(({ op }) => op === "count")
    const registering = ops.filter(({ op }) => op === "register")
    const place = { session: "ses_1", now: T0 + 60_000, detection: ALL_ON }
    const signalsOf = (state: GraphState) =>
      activeSignals({ ...place, state, metrics: metricsOf(state, "ses_1") })
    const expected = signalsOf(hive.store.read().state)
    expect(expected.length).toBeGreaterThan(4)
    const places = fc.array(fc.nat(), { minLength: counting.length, maxLength: counting.length })
    fc.assert(
      fc.property(fc.shuffledSubarray(counting, { minLength: counting.length }), places, (shuffled, at) => {
        const mixed = [...registering]
        for (const [n, op] of shuffled.entries()) mixed.splice((at[n] ?? 0) % (mixed.length + 1), 0, op)
        const state = emptyState()
        for (const op of mixed) applyOp(state, op)
        expect(signalsOf(state)).toEqual(expected)
      }),
      { numRuns: 50, seed: 7 },
    )
  })
})

describe("an urgent warning", () => {
  it("is returned once, and remembered", async () => {
    const hive = memoryHive()
    const said = []
    for (let n = 0; n < 12; n++) said.push(await countEvent(hive, caller, failing, () => undefined))
    // The same call five times in a row; eight failures in a row are twice the threshold.
    expect(said.map((warnings) => warnings.map(({ id }) => id))).toEqual(
      Array.from({ length: 12 }, (_, n) => (n === 7 ? ["failures"] : n === 4 ? ["same_calls"] : [])),
    )
    expect(metrics(hive).registers).toMatchObject({ "warned failures": expect.any(Number) })
  })

  it("is not returned without lastWarning or with governance off", async () => {
    const off = memoryHive({ governance: "off" })
    const hive = memoryHive()
    for (let n = 0; n < 12; n++) {
      expect(await countEvent(off, caller, failing, () => undefined)).toEqual([])
      expect(await countEvent(hive, caller, failing)).toEqual([])
    }
    expect(row(off, "failed_steps")).toBe(12)
  })
})

const ALL_ON = Object.fromEntries(
  Object.keys(defaultConfig.detection).map((name) => [name, 1]),
) as typeof defaultConfig.detection

const cancelled: SessionEvent = { what: "cancelled turn", said: "" }
const EVENTS: SessionEvent[] = [
  { what: "user message", taskId: uuid(1), text: "" },
  ...Array.from({ length: 8 }, (_, n) => aCall({ args: { n } })),
  aCall({ tool: "write", use: "write", task: null }),
  aCall({ tool: "bash", use: "run", args: { description: "Let me retry it" } }),
  ...[cancelled, cancelled, failing, aCall(), failing, failing],
]

function recordingHive(): { hive: Hive; writes: Op[][] } {
  const hive = memoryHive()
  const writes: Op[][] = []
  const append: Store["append"] = (by, build) => {
    writes.push(draftOps(hive.store.read().state, () => false, build).ops)
    return hive.store.append(by, build)
  }
  return { hive: { ...hive, store: { ...hive.store, append } }, writes }
}

function fileHive(dir: string): Hive {
  const store = openFileStore(dir, { source: systemSource })
  return { ...memoryHive(), home: dir, dir, source: systemSource, store }
}

const withFailures = (n: number) => aCall({ tool: "bash", use: "run", ok: false, args: { n } })

async function afterFailures() {
  const hive = memoryHive({ detection: { ...defaultConfig.detection, failures: 3 } })
  for (const n of [1, 2, 3]) await countEvent(hive, caller, withFailures(n))
  const report = () => {
    const { warnings, acknowledged } = driftReport(hive, "ses_1")
    return [warnings, acknowledged].map((list) => list.map(({ signal }) => signal))
  }
  return { hive, report }
}

describe("acknowledging a warning", () => {
  it("silences it until it gets worse, or has ended", async () => {
    const { hive, report } = await afterFailures()
    expect(report()).toEqual([["failures"], []])
    await acknowledge(hive, caller, "failures")
    expect(report()).toEqual([[], ["failures"]])
    for (const n of [4, 5]) await countEvent(hive, caller, withFailures(n))
    expect(report()).toEqual([[], ["failures"]])
    await countEvent(hive, caller, withFailures(6))
    expect(report()).toEqual([["failures"], []])
    await acknowledge(hive, caller, "failures")
    await countEvent(hive, caller, aCall({ use: "write" }))
    for (const n of [7, 8, 9]) await countEvent(hive, caller, withFailures(n))
    expect(report()).toEqual([["failures"], []])
  })

  it.each(["rewrites", "no_such_signal", "__proto__"])(
    "of %s, which is not there, is refused",
    async (signal) => {
      const { hive } = await afterFailures()
      const use_instead = "Name one: failures."
      await expect(acknowledge(hive, caller, signal)).rejects.toMatchObject({
        code: "not_found",
        use_instead,
      })
    },
  )
})
