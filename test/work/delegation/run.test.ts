import { describe, expect, it } from "vitest"
import { headOf } from "../../../src/graph/read-head.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { bindSubagent, recordReport } from "../../../src/work/delegation/assign.ts"
import { leaveEvidence } from "../../support/evidence.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool, planned } from "../../tools/call-tool.ts"

const EXECUTOR = "hive-executor"

async function delegated(hive: Hive = memoryHive()): Promise<{ hive: Hive; ids: string[] }> {
  const tasks = [
    { title: "Totals", phase: "Cart" },
    { title: "Style", phase: "Looks" },
    { title: "Print", phase: "Looks", depends_on: ["#1"] },
  ]
  const { ids } = await planned(hive, tasks, { phases: ["Cart", "Looks"] })
  await callTool(hive, "session", { action: "start", intent: "Open the shop" })
  await callTool(hive, "task", { action: "start", task_id: ids[0] })
  await callTool(hive, "delegate", { action: "assign", task_id: ids[1], to: EXECUTOR })
  const child = { session: "ses_child", agent: EXECUTOR, tool: "chat.message" }
  await bindSubagent(hive, child, { session: "ses_1", agent: "build" }, `Do ${ids[1]}`)
  return { hive, ids }
}

describe("a subagent", () => {
  it("does not move the project's read-head, whichever task it starts", async () => {
    const { hive, ids } = await delegated()
    await callTool(hive, "task", { action: "start", task_id: ids[1] }, "ses_child", EXECUTOR)
    const { state } = hive.store.read()
    expect(headOf(state, "ses_child")?.active_task_ids).toEqual([ids[1]])
    expect(headOf(state, null)).toMatchObject({ active_task_ids: [ids[0]], intent: "Open the shop" })
  })

  it("that completes its task leaves the tasks that become free to its parent", async () => {
    const { hive, ids } = await delegated()
    await leaveEvidence(hive)
    const done = { action: "complete", evidence: "it looks good" }
    const reply = await callTool(hive, "task", done, "ses_child", EXECUTOR)
    expect(reply).toMatchObject({ status: "success", unblocked: [{ title: "Print" }], next: null })
    expect(hive.store.read().state.task.get(ids[2] ?? "")?.status).toBe("planned")
  })

  it("reports its result only once if two hooks report its end at the same time", async () => {
    // A write of the memory store is over before the next call reads, so that two would not be at the same time.
    const { hive } = await delegated(await fileHive())
    const entries = (await hive.store.log()).length
    const report = (tool: string) =>
      recordReport(hive, { session: null, agent: null, tool }, "ses_child", `Styled, says ${tool}.`)
    await Promise.all([report("the session"), report("the call")])
    expect(await hive.store.log()).toHaveLength(entries + 1)
    expect([...hive.store.read().state.delegation.values()]).toMatchObject([
      { status: "returned", result: "Styled, says the session." },
    ])
  })
})
