import { describe, expect, it } from "vitest"
import { defaultConfig } from "../../src/schemas/config.ts"
import { acknowledge } from "../../src/watch/acknowledge.ts"
import { driftReport } from "../../src/watch/drift-report.ts"
import { tally } from "../../src/watch/tally.ts"
import { governanceFor } from "../../src/work/session/governance.ts"
import { memoryHive } from "../support/hive.ts"
import { aCall } from "../support/session-metrics.ts"

const agent = { session: "ses_1", agent: "build", tool: "hivemind_inspect.drift" }
const person = { session: "ses_1", agent: null, tool: "hivemind inspect" }
const failing = (n: number) => aCall({ tool: "bash", use: "run", ok: false, args: { n } })

/** A session with that many failures in a row, or stopped turns. */
async function session({ failures = 0, cancels = 0 }) {
  const hive = memoryHive({ detection: { ...defaultConfig.detection, failures: 3 } })
  for (let n = 0; n < failures; n++) await tally(hive, agent, failing(n))
  for (let n = 0; n < cancels; n++) await tally(hive, agent, { what: "cancelled turn" })
  const report = () => {
    const { warnings, acknowledged } = driftReport(hive, "ses_1")
    return {
      warnings: warnings.map(({ signal }) => signal),
      acknowledged: acknowledged.map(({ signal }) => signal),
    }
  }
  const mode = () => governanceFor(hive.store.read().state, hive.config, "ses_1").mode
  return { hive, report, mode }
}

describe("acknowledging a warning", () => {
  it("quiets it until it gets worse", async () => {
    const { hive, report } = await session({ failures: 3 })
    expect(report()).toEqual({ warnings: ["failures"], acknowledged: [] })
    await acknowledge(hive, agent, "failures")
    expect(report()).toEqual({ warnings: [], acknowledged: ["failures"] })
    for (const n of [4, 5]) await tally(hive, agent, failing(n))
    expect(report()).toEqual({ warnings: [], acknowledged: ["failures"] })
    await tally(hive, agent, failing(6))
    expect(report()).toEqual({ warnings: ["failures"], acknowledged: [] })
  })

  it("lasts until the pattern has ended", async () => {
    const { hive, report } = await session({ failures: 3 })
    await acknowledge(hive, agent, "failures")
    await tally(hive, agent, aCall())
    for (const n of [4, 5, 6]) await tally(hive, agent, failing(n))
    expect(report()).toEqual({ warnings: ["failures"], acknowledged: [] })
  })

  it.each(["repeats", "no_such_signal", "__proto__"])(
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

describe("stopped turns", () => {
  it("an agent quiets the warning, but the gate stays strict", async () => {
    const { hive, report, mode } = await session({ cancels: 3 })
    await acknowledge(hive, agent, "cancels")
    expect(report()).toEqual({ warnings: [], acknowledged: ["cancels"] })
    expect(mode()).toBe("strict")
  })

  it("a person lifts it, also after the warning has faded, and the row starts anew", async () => {
    const { hive, report, mode } = await session({ cancels: 3 })
    await tally(hive, agent, { what: "good turn" })
    expect(report()).toEqual({ warnings: [], acknowledged: [] })
    expect(mode()).toBe("strict")
    await expect(acknowledge(hive, agent, "cancels")).rejects.toMatchObject({ code: "not_found" })
    await acknowledge(hive, person, "cancels")
    expect(mode()).toBe("assisted")
    for (const _ of [1, 2]) await tally(hive, agent, { what: "cancelled turn" })
    expect(mode()).toBe("assisted")
    await tally(hive, agent, { what: "cancelled turn" })
    expect(mode()).toBe("strict")
    await expect(acknowledge(hive, person, "failures")).rejects.toMatchObject({ code: "not_found" })
  })
})
