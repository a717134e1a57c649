import { currentTask } from "../graph/current-task.ts"
import type { GraphState } from "../graph/state.ts"
import type { Config } from "../schemas/config.ts"
import type { Task } from "../schemas/task.ts"
import { checkDelegation } from "../work/delegation/rules.ts"
import {
  activeTask,
  refuseBlockedTask,
  refuseDisallowedTool,
  refuseOtherTask,
  refuseWithoutTask,
} from "./active-task.ts"
import { type GateCall, needsTask, refuseOversized } from "./call.ts"
import { type DataLossInput, refuseDataLoss } from "./data-loss.ts"
import { refuseProtectedPaths, refuseSettingsChange, type Settings } from "./protected-paths.ts"
import { refuseForRole } from "./roles.ts"
import { type IsInScope, refuseLocked, refuseOutOfScope } from "./scopes-and-locks.ts"

export interface GateInput {
  call: GateCall
  state: GraphState
  config: Config
  isInScope: IsInScope
  /** The project's root: locks may name it. */
  dir?: string
  /** The files that say how HiveMind is loaded and governs, outside of `.hivemind/`. */
  settings?: Settings | undefined
  /** The input for the check of deletions and overwrites. */
  losses: Omit<DataLossInput, "allowed">
}

export interface Passed {
  /** The task that the call counts for. */
  task: Task | null
  /** The session had no task and takes over the only one that is free. */
  inherited: boolean
  /** Shown after the tool's own output. */
  warnings: string[]
  /** Why something passed that is refused otherwise: the user has asked for it, or a person has allowed it. */
  allowed: string[]
}

/**
 * Lets a tool call pass or throws a refusal. The checks run in this order, cheapest and gravest first; with governance
 * off none does. `assisted` warns where `strict` refuses, but never lets through what cannot be undone.
 */
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
  // In assisted it goes to the session's inbox task, once it is done: see turns/unplanned-work.ts.
  if (needsTask(call) && task === undefined && governance === "strict") refuseWithoutTask(call, state)
  if (task !== undefined && (needsTask(call) || call.subagent !== null)) refuseBlockedTask(call, task, state)
  refuseDisallowedTool(call, task, state)
  refuseLocked(call, state, task)
  const { subagent } = call
  const warnings = subagent === null ? [] : checkDelegation(subagent, call, state, governance)
  return { task: task ?? null, inherited, warnings, allowed }
}
