import { expect, it } from "vitest"
import { toolActions } from "../../../src/shared/tool-names.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool } from "../../tools/call-tool.ts"

async function twoTasks() {
  const hive = memoryHive()
  const plan = await callTool(hive, "plan", { action: "create", title: "Shop", acceptance: [] })
  const tasks = [
    { title: "Totals", expected_output: "x" },
    { title: "Taxes", expected_output: "x", depends_on: ["#0"] },
  ]
  const reply = await callTool(hive, "plan", { action: "plan_tasks", plan_id: plan.entity_id, tasks })
  const [first, second]: string[] = reply.tasks.map((each: { entity_id: string }) => each.entity_id)
  return { hive, first, second }
}

it("completing a blocked task says what it waits for, and advises only what there is", async () => {
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

it("one that is not started, or is over, says so", async () => {
  const { hive, first = "" } = await twoTasks()
  const complete = { action: "complete", task_id: first, evidence: "done" }
  const planned = await callTool(hive, "task", complete)
  expect(planned).toMatchObject({
    why: "It has not been started.",
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
