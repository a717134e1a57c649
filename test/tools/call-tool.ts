import type { Hive, RunningCall } from "../../src/hive/hive.ts"
import { tools } from "../../src/tools/index.ts"

/** Calls a tool as the model would and reads its reply: `memory`, or with its action `memory save`. */
export async function callTool(
  hive: Hive,
  call: string,
  args: unknown = {},
  session = "ses_1",
  agent = "build",
) {
  const [name, action] = call.split(" ")
  const tool = tools.find((each) => each.name === `hivemind_${name}`)
  const given = action === undefined ? args : { action, ...(args as object) }
  const reply = await tool?.execute(hive, { session, agent, running: anyCommand }, given)
  return JSON.parse(JSON.stringify(reply ?? {}))
}

export async function planned(hive: Hive, tasks: object[], more: object = {}) {
  const plan = { title: "Auth", acceptance: ["it works"], phases: ["API"], ...more }
  const { entity_id } = await callTool(hive, "plan create", plan)
  const plan_id: string = entity_id
  const filled = tasks.map((task) => ({ expected_output: "x", ...task }))
  const reply = await callTool(hive, "plan plan_tasks", { plan_id, tasks: filled })
  const ids: string[] = (reply.tasks ?? []).map((task: { entity_id: string }) => task.entity_id)
  return { plan_id, reply, ids, task_id: ids[0] ?? "" }
}

export const anyCommand: RunningCall = {
  mayRun: async () => {},
  mayStart: async () => {},
  show: () => {},
  signal: new AbortController().signal,
}
