import type { Hive } from "../../src/hive/hive.ts"
import type { RunningCall } from "../../src/hive/running-call.ts"
import { tools } from "../../src/tools/index.ts"

/** Calls a tool as the model would and reads its reply. */
export async function callTool(hive: Hive, name: string, args: unknown, session = "ses_1", agent = "build") {
  const tool = tools.find((each) => each.name === `hivemind_${name}`)
  const reply = await tool?.execute(hive, { session, agent, running: anyCommand }, args)
  return JSON.parse(JSON.stringify(reply ?? {}))
}

/** A call in a host whose user allows every command. */
export const anyCommand: RunningCall = {
  mayRun: async () => {},
  mayStart: async () => {},
  show: () => {},
  signal: new AbortController().signal,
}
