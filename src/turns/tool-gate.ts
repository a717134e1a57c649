import { type GateCall, readCall } from "../gate/call.ts"
import { checkCall, type Passed } from "../gate/gate.ts"
import { pathScope } from "../gate/path-scope.ts"
import { chainText, refusalMemory } from "../gate/refusal-text.ts"
import type { Hive } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import type { Log } from "../store/files/log-file.ts"
import { adoptTask } from "../work/task/adopt.ts"
import { forgetOldest } from "./once-each.ts"

export interface ToolCall {
  callID: string
  tool: string
  session: string
  agent: string | null
  args: unknown
}

export interface ToolGateInput {
  hive: () => Promise<Hive>
  projectDir: string
  /** Where the host runs. */
  directory: string
  home: string
  log: Log
}

/** What the gate found for calls under way, for the hook that runs after the tool. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/**
 * The gate: throws a refusal, on purpose, which the host shows as the tool's error. Anything else that goes wrong in
 * here lets the call pass; a fault of ours must not keep anybody from working.
 */
export function toolGateHook({ hive, projectDir, directory, home, log }: ToolGateInput, calls: PassedCalls) {
  const refusals = refusalMemory()
  let scopes: Awaited<ReturnType<typeof pathScope>> | undefined

  async function look(toolCall: ToolCall) {
    const opened = await hive()
    scopes ??= await pathScope(opened.config.path_scopes)
    const { judgeCommand } = await import("../gate/shell/judge.ts")
    const judge = (command: string, cwd: string) => judgeCommand(command, { project: projectDir, cwd, home })
    return { opened, isInScope: scopes, call: readCall(toolCall, { projectDir, directory, judge }) }
  }

  return async (toolCall: ToolCall): Promise<void> => {
    const { session, agent, tool } = toolCall
    let seen: Awaited<ReturnType<typeof look>>
    let passed: Passed
    let refused: string | undefined
    try {
      seen = await look(toolCall)
      const { opened, isInScope, call } = seen
      const { state } = opened.store.read()
      try {
        passed = checkCall({ call, state, config: opened.config, isInScope })
        refusals.passed(session)
        remember(toolCall.callID, call, passed)
        if (passed.inherited && passed.task !== null) adopt(opened, session, agent, passed.task.id)
      } catch (error) {
        if (!(error instanceof HiveError)) throw error
        log("info", `refused ${tool} in ${session}: ${error.code} ${error.evidence}`)
        refused = refusals.next(session, error, chainText(state, session))
      }
    } catch (error) {
      log("error", `the gate failed on ${tool}; it was let through`, error)
    }
    if (refused !== undefined) throw new Error(refused)
  }

  function remember(callID: string, call: GateCall, passed: Passed): void {
    calls.set(callID, { call, passed })
    if (calls.size > MAX_CALLS) forgetOldest(calls)
  }

  /** Not waited for: the call counts for the task already, and the read-head may follow. */
  function adopt(opened: Hive, session: string, agent: string | null, taskId: string): void {
    adoptTask(opened, { session, agent, tool: "gate" }, taskId).catch((error: unknown) => {
      log("error", "a task could not be adopted", error)
    })
  }
}

const MAX_CALLS = 1000
