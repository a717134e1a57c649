import { expect, it, vi } from "vitest"
import { turnEnd } from "../../src/turns/turn-end.ts"
import { assignTask, bindSubagent } from "../../src/work/delegation/assign.ts"
import { RESEARCHER, research } from "../../src/work/delegation/research.ts"
import { memoryHive } from "../support/hive.ts"
import { callTool } from "../tools/call-tool.ts"

const caller = { session: "ses_1", agent: "build", tool: "test" }
const child = "ses_child"

/** Ends the child's turn. The host has `words` of it; they are its answer "to the end" only if it was not stopped. */
async function endOf(hive: ReturnType<typeof memoryHive>, words: string, isStopped: boolean) {
  const lastAnswer = async (_: string, only?: "to the end") => (only && isStopped ? "" : words)
  const input = { hive: async () => hive, log: vi.fn(), lastAnswer, tree: { turnEnded: async () => [] } }
  const steps = turnEnd(input as never, { update: async () => {} } as never, async () => {})(child)
  await steps.find(([name]) => name === "report")?.[1]()
  return [...hive.store.read().state.delegation.values()].map(({ status, result }) => ({ status, result }))
}

it("a stopped subagent has failed, although the host has some words of it", async () => {
  for (const isStopped of [true, false]) {
    const hive = memoryHive()
    await callTool(hive, "session", { action: "update", level: "action", content: "Write the form" })
    const [task] = hive.store.read().state.task.values()
    await assignTask(hive, caller, { task_id: task?.id ?? "", to: "general" })
    await bindSubagent(hive, { session: child, agent: "general", tool: "test" }, caller, "Do it")
    expect(await endOf(hive, "Working…", isStopped)).toEqual([
      isStopped ? { status: "failed", result: null } : { status: "returned", result: "Working…" },
    ])
  }
})

it("a stopped researcher reports what it has found", async () => {
  const hive = { ...memoryHive(), startSession: async () => child, endSession: async () => {} }
  await research(hive, caller, { question: "What is A?" })
  const researcher = { session: child, agent: RESEARCHER, tool: "test" }
  await bindSubagent(hive, researcher, caller, "Question: What is A?")
  expect(await endOf(hive, "A is B.", true)).toEqual([{ status: "returned", result: "A is B." }])
})
