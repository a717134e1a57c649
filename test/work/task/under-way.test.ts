import { expect, it } from "vitest"
import { toolActions } from "../../../src/shared/tool-names.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool, planned } from "../../tools/call-tool.ts"

async function twoTasks() {
  const hive = memoryHive()
  const tasks = [{ title: "Totals" }, { title: "Taxes", depends_on: ["#0"] }]
  const [first, second] = (await planned(hive, tasks)).ids
  return { hive, first, second }
}

it("completing a blocked task says what it waits for, and advises only calls that exist", async () => {
  const { hive, first = "", second = "" } = await twoTasks()
  const calls = [{ action: "complete", evidence: "done" }, { action: "review" }]
  for (const call of calls) {
    const reply = await callTool(hive, "task", { ...call, task_id: second })
    expect(reply, call.action).toMatchObject({
      code: "lifecycle",
      what: 'The task "Taxes" is blocked.',
      why: 'It depends on "Totals", which is planned.',
      use_instead: `Complete ${first.slice(0, 8)} first. Then hivemind_task start with task_id ${second.slice(0, 8)}; or hivemind_task fail with the reason.`,
    })
    expectRealCalls(reply.use_instead)
  }
})

it("completing a task that is not started, or is over, says so", async () => {
  const { hive, first = "" } = await twoTasks()
  const complete = { action: "complete", task_id: first, evidence: "done" }
  const planned = await callTool(hive, "task", complete)
  expect(planned).toMatchObject({
    why: "The task has not been started.",
    use_instead: expect.stringContaining("start"),
  })
  await callTool(hive, "task", { action: "fail", task_id: first, reason: "no use" })
  const failed = await callTool(hive, "task", complete)
  expect(failed.what).toBe('The task "Totals" is failed.')
  for (const { use_instead } of [planned, failed]) expectRealCalls(use_instead)
})

function expectRealCalls(text: string): void {
  const calls = [...text.matchAll(/hivemind_(\w+) (\w+)/g)]
  expect(calls.length).toBeGreaterThan(0)
  for (const [, tool = "", action = ""] of calls)
    expect(Object.entries(toolActions).find(([name]) => name === tool)?.[1]).toContain(action)
}
