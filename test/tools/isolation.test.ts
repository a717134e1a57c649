import { expect, it } from "vitest"
import { compactionContext } from "../../src/context/compaction/prompt.ts"
import { pack } from "../../src/context/pack/pack.ts"
import { headIdOf, headOf } from "../../src/graph/read-head.ts"
import { memoryHive } from "../support/hive.ts"
import { callTool } from "./call-tool.ts"

async function scene() {
  const hive = memoryHive()
  for (const [session, plan, task] of [
    ["ses_a", "Login", "Build the form"],
    ["ses_b", "Checkout", "Take payments"],
  ] as const)
    for (const [level, content] of Object.entries({ trajectory: plan, action: task }))
      await callTool(hive, "session update", { level, content }, session)
  const seenBy = async (session: string) => {
    const { seconds } = hive.source
    // Always at the same moment.
    hive.source.seconds = 10_000
    const { state } = hive.store.read()
    const seen: unknown[] = [
      pack(state, headOf(state, session), { now: hive.source.now(), budget: 4000 }).xml,
      compactionContext({ state, session, now: hive.source.now() }),
    ]
    for (const [tool, args] of [
      ["session", { action: "status" }],
      ["task", { action: "status" }],
      ["plan", { action: "status" }],
      ["delegate", { action: "status" }],
      ["hierarchy", { action: "status" }],
      ["anchor", { action: "list" }],
      ["memory", { action: "list" }],
      ["memory", { action: "recall", query: "form payments" }],
    ] as const) {
      hive.source.seconds = 10_000
      seen.push(await callTool(hive, tool, args, session))
    }
    hive.source.seconds = seconds
    return JSON.stringify(seen, null, 1)
  }
  return { hive, seenBy }
}

it("another session's read-head does not change what a session reads; the shared graph does", async () => {
  const { hive, seenBy } = await scene()
  const { state } = hive.store.read()
  const other = [...state.plan.values()].find(({ title }) => title === "Checkout")
  const before = await seenBy("ses_b")
  const own = await seenBy("ses_a")
  for (const head of [
    { intent: "A secret of the other session", intent_shift_at: "2026-01-01T00:00:00.000Z" },
    { active_task_ids: [] },
    { active_plan_id: other?.id ?? null, active_phase_id: null, intent: null },
    { active_plan_id: null, active_phase_id: null, active_task_ids: [] },
  ]) {
    await hive.store.write({ tool: "test", session: "ses_a", agent: null }, (tx) =>
      tx.set("trajectory", headIdOf("ses_a"), head),
    )
    expect(await seenBy("ses_b")).toBe(before)
  }
  // It is its own that the other one reads by.
  expect(await seenBy("ses_a")).not.toBe(own)
  await callTool(hive, "memory save", { content: "The form posts payments", kind: "fact" }, "ses_a")
  expect(await seenBy("ses_b")).toContain("The form posts payments")
})
