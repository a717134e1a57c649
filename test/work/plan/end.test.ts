import { expect, it } from "vitest"
import { openDecisions } from "../../../src/dashboard/answers/plans.ts"
import { completeDonePlans } from "../../../src/work/plan/end.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool } from "../../tools/call-tool.ts"

const caller = { session: "ses_1", agent: "build", tool: "turn end" }

async function planOf(hive: ReturnType<typeof memoryHive>, title: string, tasks: object[]) {
  const { entity_id: plan_id } = await callTool(hive, "plan", { action: "create", title, acceptance: [] })
  const reply = await callTool(hive, "plan", { action: "plan_tasks", plan_id, tasks })
  return { plan_id, tasks: reply.tasks as { entity_id: string }[] }
}

it("a plan is completed once all of its tasks are done, and takes work again when some is planned", async () => {
  const hive = memoryHive()
  const { plan_id, tasks } = await planOf(hive, "Shop", [
    { title: "Cart", expected_output: "x" },
    { title: "Till", expected_output: "x" },
  ])
  const status = () => hive.store.read().state.plan.get(plan_id)?.status
  for (const { entity_id: task_id } of tasks) {
    expect(await completeDonePlans(hive, caller)).toEqual([])
    await callTool(hive, "task", { action: "start", task_id })
    await callTool(hive, "memory", { action: "save", content: `What came of ${task_id}` })
    await callTool(hive, "task", { action: "complete", evidence: "it is there" })
  }
  expect(status()).toBe("active")
  expect((await completeDonePlans(hive, caller)).map(({ title }) => title)).toEqual(["Shop"])
  expect(status()).toBe("completed")

  await callTool(hive, "plan", {
    action: "plan_tasks",
    plan_id,
    tasks: [{ title: "Van", expected_output: "x" }],
  })
  expect(status()).toBe("active")
})

it("the open decisions of an abandoned plan no longer wait, but for those that another plan needs", async () => {
  const hive = memoryHive()
  const decisions = ["Which bank?"]
  const { plan_id } = await planOf(hive, "Shop", [{ title: "Till", expected_output: "x", decisions }])
  const { tasks } = await planOf(hive, "Van", [
    { title: "Route", expected_output: "x", decisions: ["Which road?"] },
  ])
  const { state } = hive.store.read()
  const road = state.task.get(tasks[0]?.entity_id ?? "")?.decisions[0] ?? ""
  // The shop's till waits for the road, too.
  const till = [...state.task.values()].find(({ title }) => title === "Till")
  await hive.store.write({ session: null, agent: null, tool: "test" }, (tx) =>
    tx.set("task", till?.id ?? "", { decisions: [...(till?.decisions ?? []), road] }),
  )
  expect(openDecisions(hive.store.read().state)).toHaveLength(2)
  await callTool(hive, "plan", { action: "abandon", plan_id, reason: "no money" })
  expect(openDecisions(hive.store.read().state).map(({ content }) => content)).toEqual(["Which road?"])
})
