import { describe, expect, it } from "vitest"
import { saveMem } from "../../../src/knowledge/memory/save.ts"
import { type Config, defaultConfig } from "../../../src/schemas/config.ts"
import { governanceFor } from "../../../src/work/session/governance.ts"
import { ensureSession } from "../../../src/work/session/start.ts"
import { memoryHive } from "../../support/hive.ts"
import { T0 } from "../../support/records.ts"

const by = { tool: "test", session: null, agent: null }

/** A session whose turns were stopped that often in a row, with a subagent, and one of its own beside it. */
async function project(cancels: number) {
  const hive = memoryHive()
  await hive.store.write(by, (tx) => {
    ensureSession(tx, { session: "ses_1", agent: "build", tool: "t" }, T0, null)
    ensureSession(tx, { session: "ses_child", agent: "general", tool: "t" }, T0, null, "ses_1")
    ensureSession(tx, { session: "ses_other", agent: "build", tool: "t" }, T0, null)
    tx.register("ses_1", "most_cancels", cancels)
  })
  const mode = (session: string | null, config: Partial<Config> = {}) =>
    governanceFor(hive.store.read().state, { ...defaultConfig, ...config }, session).mode
  return { hive, mode }
}

describe("governance of a session", () => {
  it("is the configured one until the user has stopped enough turns in a row", async () => {
    expect((await project(2)).mode("ses_1")).toBe("assisted")
    expect((await project(3)).mode("ses_1")).toBe("strict")
  })

  it("is tightened for the session and its subagents, not for others", async () => {
    const { mode } = await project(3)
    expect([mode("ses_child"), mode("ses_other"), mode(null)]).toEqual(["strict", "assisted", "assisted"])
  })

  it("names the command that lifts it, for the session in which turns were stopped", async () => {
    const { hive } = await project(3)
    const { why } = governanceFor(hive.store.read().state, defaultConfig, "ses_child")
    expect(why).toContain("hivemind inspect drift --session ses_1 --acknowledge cancels")
  })

  it("stays off where it is off, strict where it is strict, and assisted where the signal is off", async () => {
    const { mode } = await project(9)
    expect(mode("ses_1", { governance: "off" })).toBe("off")
    expect(mode("ses_other", { governance: "strict" })).toBe("strict")
    expect(mode("ses_1", { detection: { ...defaultConfig.detection, cancels: 0 } })).toBe("assisted")
  })

  it("holds for mems too, and the refusal says why", async () => {
    const { hive } = await project(3)
    const save = (session: string) =>
      saveMem(hive, { session, agent: "build", tool: "t" }, { content: "A fact" })
    await expect(save("ses_1")).rejects.toMatchObject({
      code: "orphan",
      why: expect.stringContaining("the user stopped several turns in a row"),
    })
    await save("ses_other")
  })
})
