import { resolve } from "node:path"
import type { ToolCall } from "../gate/call.ts"
import type { Hive } from "../hive/hive.ts"
import { hostToolAuthor } from "../shared/tool-names.ts"
import type { Log } from "../store/files/log-file.ts"
import { observedChecks } from "../work/task/verify.ts"
import type { AfterCall, CallResult } from "./after-call.ts"

/** Looks at commands that may be a task's check, before and after they run. A fault in it costs no call. */
export function agentChecks({
  hive,
  directory,
  log,
}: {
  hive: () => Promise<Hive>
  directory: string
  log: Log
}) {
  const checks = observedChecks()

  async function safely(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      log("error", what, error)
    }
  }

  return {
    before:
      (gate: (call: ToolCall) => Promise<string | undefined>) =>
      async (call: ToolCall): Promise<string | undefined> => {
        const refusal = await gate(call)
        const { id, session, command } = call
        if (refusal === undefined && command !== null)
          await safely("could not read the work tree before a check", async () =>
            checks.begin(await hive(), {
              id,
              session,
              command: command.text,
              cwd: resolve(directory, command.cwd),
            }),
          )
        return refusal
      },
    after:
      (noted: (result: CallResult) => Promise<AfterCall>) =>
      async (result: CallResult): Promise<AfterCall> => {
        const { id, session, agent, tool, exit, said } = result
        const caller = { session, agent, tool: hostToolAuthor(tool) }
        const told = await noted(result)
        await safely("could not record a check run", async () =>
          checks.end(await hive(), caller, id, exit, said),
        )
        return told
      },
  }
}
