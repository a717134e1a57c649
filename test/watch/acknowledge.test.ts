import { describe, expect, it } from "vitest"
import { defaultConfig } from "../../src/schemas/config.ts"
import { acknowledge } from "../../src/watch/acknowledge.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { driftReport } from "../../src/watch/drift-report.ts"
import { memoryHive } from "../support/hive.ts"
import { aCall } from "../support/session-metrics.ts"

const agent = { session: "ses_1", agent: "build", tool: "hivemind_inspect.drift" }
const failing = (n: number) => aCall({ tool: "bash", use: "run", ok: false, args: { n } })

/** A session with that many failures in a row. */
async function session({ failures = 0 }) {
  const hive = memoryHive({ detection: { ...defaultConfig.detection, failures: 3 } })
  for (let n = 0; n < failures; n++) await countEvent(hive, agent, failing(n))
  const report = () => {
    const { warnings, acknowledged } = driftReport(hive, "ses_1")
    return {
      warnings: warnings.map(({ signal }) => signal),
      acknowledged: acknowledged.map(({ signal }) => signal),
    }
  }
  return { hive, report }
}

describe("acknowledging a warning", () => {
  it("quiets it until it gets worse", async () => {
    const { hive, report } = await session({ failures: 3 })
    expect(report()).toEqual({ warnings: ["failures"], acknowledged: [] })
    await acknowledge(hive, agent, "failures")
    expect(report()).toEqual({ warnings: [], acknowledged: ["failures"] })
    for (const n of [4, 5]) await countEvent(hive, agent, failing(n))
    expect(report()).toEqual({ warnings: [], acknowledged: ["failures"] })
    await countEvent(hive, agent, failing(6))
    expect(report()).toEqual({ warnings: ["failures"], acknowledged: [] })
  })

  it("lasts until the pattern has ended", async () => {
    const { hive, report } = await session({ failures: 3 })
    await acknowledge(hive, agent, "failures")
    await countEvent(hive, agent, aCall({ use: "write" }))
    for (const n of [4, 5, 6]) await countEvent(hive, agent, failing(n))
    expect(report()).toEqual({ warnings: ["failures"], acknowledged: [] })
  })

  it.each(["rewrites", "no_such_signal", "__proto__"])(
    "%s, which is not there, is refused",
    async (signal) => {
      const { hive } = await session({ failures: 3 })
      const before = (await hive.store.log()).length
      await expect(acknowledge(hive, agent, signal)).rejects.toMatchObject({
        code: "not_found",
        use_instead: "Name one that is active: failures.",
      })
      expect(await hive.store.log()).toHaveLength(before)
    },
  )
})
