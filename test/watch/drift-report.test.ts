import { describe, expect, it } from "vitest"
import { defaultConfig } from "../../src/schemas/config.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { driftReport } from "../../src/watch/drift-report.ts"
import { memoryHive } from "../support/hive.ts"
import { aCall } from "../support/session-metrics.ts"

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
        moved: [{ by: 10, why: "20 reads in a turn without a write (a warning starts at 15)" }],
      },
      health: {
        score: 72,
        moved: [
          { by: -20, why: "5 tool failures in a row (a warning starts at 3)" },
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
    const expected = { session: null, warnings: [], health: { score: 100 } }
    expect(driftReport(memoryHive(), null)).toMatchObject(expected)
  })
})
