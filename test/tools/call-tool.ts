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

/** A call in a host whose user allows every command. */
export const anyCommand: RunningCall = {
  mayRun: async () => {},
  mayStart: async () => {},
  show: () => {},
  signal: new AbortController().signal,
}
