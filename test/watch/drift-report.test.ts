import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaultConfig } from "../../src/schemas/config.ts"
import { signalNames } from "../../src/schemas/signals.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { driftReport, driftScore, healthScore } from "../../src/watch/drift-report.ts"
import { severities } from "../../src/watch/signals.ts"
import { memoryHive } from "../support/hive.ts"
import { aCall } from "../support/session-metrics.ts"

const judged = fc.record({
  signals: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...signalNames),
      value: fc.double({ min: 0, max: 1e6, noNaN: true }),
      threshold: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
      severity: fc.constantFrom(...severities),
    }),
    { selector: ({ name }) => name },
  ),
  calls: fc.nat(),
  failures: fc.nat(),
  unreadable: fc.nat(),
})

describe("scores", () => {
  it("lie between 0 and 100 and match their reasons", () => {
    fc.assert(
      fc.property(judged, (input) => {
        const both = [
          { start: 0, ...driftScore(input) },
          { start: 100, ...healthScore(input) },
        ]
        for (const { start, score, moved } of both) {
          const sum = moved.reduce((total, { by }) => total + by, start)
          expect(score).toBe(Math.min(100, Math.max(0, sum)))
          expect(moved.every(({ by, why }) => by !== 0 && why !== "")).toBe(true)
        }
        const counted =
          driftScore(input).moved.length + healthScore({ ...input, failures: 0, unreadable: 0 }).moved.length
        expect(counted).toBe(input.signals.length)
      }),
      { seed: 11 },
    )
  })

  it("are 0 and 100 without signals", () => {
    const nothing = { signals: [], calls: 40, failures: 0, unreadable: 0 }
    expect(driftScore(nothing)).toEqual({ score: 0, moved: [] })
    expect(healthScore(nothing)).toEqual({ score: 100, moved: [] })
  })
})

describe("the drift report", () => {
  it("has scores, reasons and counts as plain data", async () => {
    const detection = { ...defaultConfig.detection, failures: 3, reads_without_write: 15 }
    const hive = memoryHive({ detection })
    const caller = { session: "ses_1", agent: "build", tool: "test" }
    for (let n = 0; n < 20; n++) await countEvent(hive, caller, aCall({ args: { n } }))
    for (let n = 0; n < 5; n++)
      await countEvent(hive, caller, aCall({ tool: "bash", use: "run", ok: false, args: { n } }))
    const report = driftReport(hive, "ses_1")
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    expect(report).toMatchObject({
      session: "ses_1",
      governance: "assisted",
      drift: {
        score: 10,
        moved: [{ by: 10, why: "20 reads in a turn without a write (a warning from 15 on)" }],
      },
      health: {
        score: 72,
        moved: [
          { by: -20, why: "5 tool failures in a row (a warning from 3 on)" },
          { by: -8, why: "5 of 25 tool calls failed" },
        ],
      },
      calls: { all: 25, read: 20, run: 5, failed: 5 },
    })
    expect(report.warnings.map(({ signal, severity, shown_to }) => [signal, severity, shown_to])).toEqual([
      ["failures", "medium", "model"],
      ["reads_without_write", "low", "status"],
    ])
  })

  it("without a session is about the graph alone", () => {
    expect(driftReport(memoryHive(), null)).toMatchObject({
      session: null,
      warnings: [],
      health: { score: 100 },
    })
  })
})
