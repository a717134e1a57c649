import { type GateCall, readCall } from "../lib/gate/call.ts"
import { checkCall, type Passed } from "../lib/gate/gate.ts"
import { pathScope } from "../lib/gate/path-scope.ts"
import { chainText, refusalMemory } from "../lib/gate/refusal-text.ts"
import type { Hive } from "../lib/hive.ts"
import type { Log } from "../lib/store/log-file.ts"
import { adoptTask } from "../lib/task/adopt.ts"
import { HiveError } from "../shared/error.ts"
import { within } from "./within.ts"

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
  home: string
  log: Log
}

/** What the gate found for calls under way, for the hook that runs after the tool. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/**
 * The gate: throws a refusal, on purpose, which the host shows as the tool's error. Anything else that goes wrong in
 * here lets the call pass; a fault of ours must not keep anybody from working.
 */
export function toolGateHook({ hive, projectDir, home, log }: ToolGateInput, calls: PassedCalls) {
  const refusals = refusalMemory()
  let scopes: Awaited<ReturnType<typeof pathScope>> | undefined

  async function judge(toolCall: ToolCall): Promise<{ opened: Hive; call: GateCall; passed: Passed }> {
    const opened = await hive()
    scopes ??= await pathScope(opened.config.path_scopes)
    const { judgeCommand } = await import("../lib/shell/judge.ts")
    const call = readCall(toolCall, projectDir, (command) =>
      judgeCommand(command, { project: projectDir, home }),
    )
    const { state } = opened.store.read()
    return { opened, call, passed: checkCall({ call, state, config: opened.config, isInScope: scopes }) }
  }

  return async (toolCall: ToolCall): Promise<void> => {
    if (!GATED.has(toolCall.tool) && !toolCall.tool.startsWith("hivemind_")) return
    try {
      const { opened, call, passed } = await judge(toolCall)
      refusals.passed(toolCall.session)
      if (calls.size > MAX_CALLS) calls.clear()
      calls.set(toolCall.callID, { call, passed })
      const caller = { session: toolCall.session, agent: toolCall.agent, tool: "gate" }
      if (passed.inherited && passed.task !== null)
        await within(WRITE_MS, adoptTask(opened, caller, passed.task.id))
    } catch (error) {
      if (!(error instanceof HiveError)) {
        log("error", `the gate failed on ${toolCall.tool}; it was let through`, error)
        return
      }
      const chain = chainText((await hive()).store.read().state, toolCall.session)
      log("info", `refused ${toolCall.tool} in ${toolCall.session}: ${error.code} ${error.evidence}`)
      throw new Error(refusals.next(toolCall.session, error, chain))
    }
  }
}

// Reading is never gated, but for a task that allows only some tools; see `allowed_tools`.
const GATED = new Set([
  "write",
  "edit",
  "multiedit",
  "patch",
  "apply_patch",
  "bash",
  "task",
  "read",
  "grep",
  "glob",
  "list",
  "webfetch",
])
const MAX_CALLS = 1000
const WRITE_MS = 2000
