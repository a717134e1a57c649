import { expect, it } from "vitest"
import { openDecisions } from "../../../src/dashboard/answers/plans.ts"
import { completeDonePlans } from "../../../src/work/plan/end.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool, planned } from "../../tools/call-tool.ts"

const caller = { session: "ses_1", agent: "build", tool: "turn end" }

it("a plan is completed once all of its tasks are done, and takes work again when some is planned", async () => {
  const hive = memoryHive()
  const { plan_id, ids } = await planned(hive, [{ title: "Cart" }, { title: "Till" }], { title: "Shop" })
  const status = () => hive.store.read().state.plan.get(plan_id)?.status
  for (const task_id of ids) {
    expect(await completeDonePlans(hive, caller)).toEqual([])
    await callTool(hive, "task", { action: "start", task_id })
    await callTool(hive, "memory", { action: "save", content: `What came of ${task_id}` })
    await callTool(hive, "task", { action: "complete", evidence: "it is there" })
  }
  expect(status()).toBe("active")
  expect((await completeDonePlans(hive, caller)).map(({ title }) => title)).toEqual(["Shop"])
  expect(status()).toBe("completed")

  await callTool(hive, "plan plan_tasks", { plan_id, tasks: [{ title: "Van", expected_output: "x" }] })
  expect(status()).toBe("active")
})

it("open decisions of an abandoned plan are no longer open, unless another plan needs them", async () => {
  const hive = memoryHive()
  const decisions = ["Which bank?"]
  const { plan_id } = await planned(hive, [{ title: "Till", decisions }])
  const [route = ""] = (await planned(hive, [{ title: "Route", decisions: ["Which road?"] }])).ids
  const { state } = hive.store.read()
  const road = state.task.get(route)?.decisions[0] ?? ""
  // The task "Till" of the first plan also waits for the decision of the second plan.
  const till = [...state.task.values()].find(({ title }) => title === "Till")
  await hive.store.write({ session: null, agent: null, tool: "test" }, (tx) =>
    tx.set("task", till?.id ?? "", { decisions: [...(till?.decisions ?? []), road] }),
  )
  expect(openDecisions(hive.store.read().state)).toHaveLength(2)
  await callTool(hive, "plan", { action: "abandon", plan_id, reason: "no money" })
  expect(openDecisions(hive.store.read().state).map(({ content }) => content)).toEqual(["Which road?"])
})
