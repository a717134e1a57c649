import { type GateCall, judgeCall, type ToolCall } from "../gate/call.ts"
import { checkCall, type Passed } from "../gate/gate.ts"
import { pathScope } from "../gate/path-scope.ts"
import { chainText, refusalMemory } from "../gate/refusal-text.ts"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import { HiveError } from "../shared/error.ts"
import { forgetOldest } from "../shared/once-each.ts"
import type { Log } from "../store/files/log-file.ts"
import { adoptTask } from "../work/task/start.ts"

export interface BeforeCallInput {
  hive: () => Promise<Hive>
  place: HivePlace
  /** Where the host runs. */
  directory: string
  userHome: string
  log: Log
}

/** What the gate found for calls under way, for the step after the tool. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/**
 * The gate. Returns why a call is refused, or undefined if it may run. Anything that goes wrong in here lets the call
 * pass: a fault of ours must not keep anybody from working.
 */
export function beforeCall({ hive, place, directory, userHome, log }: BeforeCallInput, calls: PassedCalls) {
  const refusals = refusalMemory()
  let scopes: Awaited<ReturnType<typeof pathScope>> | undefined

  return async (toolCall: ToolCall): Promise<string | undefined> => {
    const { session, tool } = toolCall
    try {
      const opened = await hive()
      scopes ??= await pathScope(opened.config.path_scopes)
      const call = await judged(toolCall)
      const { state } = opened.store.read()
      try {
        const passed = checkCall({ call, state, config: opened.config, isInScope: scopes })
        refusals.passed(session)
        remember(call, passed)
        if (passed.inherited && passed.task !== null) adopt(opened, call, passed.task.id)
        return undefined
      } catch (error) {
        if (!(error instanceof HiveError)) throw error
        log("info", `refused ${tool} in ${session}: ${error.code} ${error.evidence}`)
        return refusals.next(session, error, chainText(state, session))
      }
    } catch (error) {
      log("error", `the gate failed on ${tool}; it was let through`, error)
      return undefined
    }
  }

  async function judged(call: ToolCall): Promise<GateCall> {
    const { judgeCommand } = await import("../gate/shell/judge.ts") // Needed for the first call only.
    const context = { project: place.dir, hive: place.home, home: userHome }
    const judge = (command: string, cwd: string) => judgeCommand(command, { ...context, cwd })
    return judgeCall(call, { projectDir: place.dir, directory, judge })
  }

  function remember(call: GateCall, passed: Passed): void {
    calls.set(call.id, { call, passed })
    if (calls.size > MAX_CALLS) forgetOldest(calls)
  }

  /** Not waited for: the call counts for the task already, and the read-head may follow. */
  function adopt(opened: Hive, { session, agent }: GateCall, taskId: string): void {
    adoptTask(opened, { session, agent, tool: "gate" }, taskId).catch((error: unknown) => {
      log("error", "could not adopt a task", error)
    })
  }
}

const MAX_CALLS = 1000
