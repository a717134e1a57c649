import { currentTask } from "../graph/current-task.ts"
import type { GraphState } from "../graph/state.ts"
import type { Config } from "../schemas/config.ts"
import type { Task } from "../schemas/task.ts"
import { checkDelegation } from "../work/delegation/check-delegation.ts"
import {
  activeTask,
  refuseBlockedTask,
  refuseDisallowedTool,
  refuseOtherTask,
  refuseWithoutTask,
} from "./active-task.ts"
import { type GateCall, needsTask, refuseOversized } from "./call.ts"
import { type DataLossInput, refuseDataLoss } from "./destructive.ts"
import { refuseProtectedPaths, refuseSettingsChange, type Settings } from "./protected-paths.ts"
import { refuseForRole } from "./roles.ts"
import { type IsInScope, refuseLocked, refuseOutOfScope } from "./scopes-and-locks.ts"

export interface GateInput {
  call: GateCall
  state: GraphState
  config: Config
  isInScope: IsInScope
  dir?: string
  settings?: Settings | undefined
  losses: Omit<DataLossInput, "allowed">
}

export interface Passed {
  task: Task | null
  /** True if the session had no task, and this call takes over the only active task that no session holds. */
  inherited: boolean
  warnings: string[]
  /** Why an irreversible effect was let through: the user asked for it, or `allow_commands` lists it. */
  allowed: string[]
}

/** Runs the checks in order, the cheapest and most serious first. Throws at the first refusal. */
export function checkCall({ call, state, config, isInScope, dir, settings, losses }: GateInput): Passed {
  const { governance } = config
  if (governance === "off")
    return { task: currentTask(state, call.session) ?? null, inherited: false, warnings: [], allowed: [] }
  refuseOversized(call)
  refuseProtectedPaths(call)
  refuseSettingsChange(call, settings, dir)
  const allowed = refuseDataLoss(call, { ...losses, allowed: config.allow_commands })
  refuseForRole(call, state)
  refuseOutOfScope(call, isInScope)
  const { task, inherited } = activeTask(state, call)
  refuseOtherTask(call, state)
  // With `assisted`, a write without a task is allowed: turns/after-call.ts records it in the session's inbox task.
  if (needsTask(call) && task === undefined && governance === "strict") refuseWithoutTask(call, state)
  if (task !== undefined && (needsTask(call) || call.subagent !== null)) refuseBlockedTask(call, task, state)
  refuseDisallowedTool(call, task, state)
  refuseLocked(call, state, task)
  const { subagent } = call
  const warnings = subagent === null ? [] : checkDelegation(subagent, call, state, governance)
  return { task: task ?? null, inherited, warnings, allowed }
}
