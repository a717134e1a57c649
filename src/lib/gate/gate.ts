import type { Config } from "../../schemas/config.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import type { GraphState } from "../graph/state.ts"
import { currentTask } from "../task/current.ts"
import { lockHolder } from "../task/file-locks.ts"
import { lookupIn, obstaclesOf } from "../task/obstacles.ts"
import { type GateCall, isWrite } from "./call.ts"
import { checkDelegation } from "./delegation-rules.ts"
import { deniedTools, roleAdvice, roleOf } from "./roles.ts"

export interface GateInput {
  call: GateCall
  state: GraphState
  config: Config
  /** Does this agent's path scope take in that path? */
  isInScope: (agent: string | null, path: string) => boolean
}

export interface Passed {
  /** The task that the call counts for. */
  task: Task | null
  /** The session had none, but there is exactly one it can only mean: it is to be made the session's. */
  inherited: boolean
  /** Said after the tool's own output. */
  warnings: string[]
}

/**
 * Lets a tool call pass or throws a refusal. The checks run in this order, cheapest and gravest first; with governance
 * off none does. `assisted` warns where `strict` refuses, but never lets through what cannot be undone.
 */
export function checkCall(input: GateInput): Passed {
  const { call, state, config } = input
  const passed: Passed = { task: null, inherited: false, warnings: [] }
  if (config.governance === "off") return { ...passed, task: currentTask(state, call.session) ?? null }
  refuseProtectedPaths(call)
  refuseDestructive(call)
  refuseForRole(call)
  refuseOutOfScope(input)
  if (call.subagent !== null) {
    passed.warnings.push(...checkDelegation(call.subagent, call, state, config.governance))
    return passed
  }
  const found = activeTask(state, call.session)
  passed.task = found.task ?? null
  passed.inherited = found.inherited
  if (passed.task !== null) refuseTool(call, passed.task)
  if (!isWrite(call)) return passed
  if (found.task === undefined) {
    if (config.governance === "strict") throw noTask(call, state)
    passed.warnings.push(NO_TASK_WARNING)
  } else refuseUnready(call, found.task, state)
  refuseLocked(call, state, found.task)
  return passed
}

function refuseProtectedPaths(call: GateCall): void {
  const path = call.writes.find((each) => isProtected(each))
  if (path === undefined && !call.shell?.touchesHive) return
  throw new HiveError({
    code: "protected",
    what: `${call.tool} may not write to ${path ?? ".hivemind/"}.`,
    why: "HiveMind's own files are written by its tools only; a stray edit there could mislead every later session.",
    use_instead:
      "Use hivemind_memory, hivemind_plan or hivemind_task. Notes for people may go to .hivemind/artifacts/.",
    evidence: path ?? call.command ?? "",
  })
}

function isProtected(path: string): boolean {
  return /(^|\/)\.hivemind(\/|$)/.test(path) && !/(^|\/)\.hivemind\/artifacts\//.test(path)
}

function refuseDestructive({ tool, shell }: GateCall): void {
  if (!shell?.destructive) return
  throw new HiveError({
    code: "destructive",
    what: `${tool} was not run: ${shell.destructive.what}.`,
    why: "What it does cannot be undone.",
    use_instead: "Do it in a way that can be taken back, or ask the user to run it.",
    evidence: shell.destructive.part,
  })
}

function refuseForRole({ tool, agent }: GateCall): void {
  const role = roleOf(agent)
  if (!deniedTools[role].includes(tool)) return
  throw new HiveError({
    code: "role",
    what: `${agent} may not use ${tool}.`,
    why: `The role ${role} does not include it.`,
    use_instead: roleAdvice[role],
    evidence: `role = ${role}`,
  })
}

function refuseOutOfScope({ call, isInScope }: GateInput): void {
  const path = call.writes.find((each) => !isInScope(call.agent, each))
  if (path === undefined) return
  throw new HiveError({
    code: "scope",
    what: `${call.agent} may not write ${path}.`,
    why: "It is outside the paths of this role.",
    use_instead:
      "Keep to the role's paths, or have the user widen path_scopes in .hivemind/system/config.json.",
    evidence: `path_scopes of ${call.agent}`,
  })
}

/** The session's task at hand, or the only one under way in its plan that no other session holds. */
function activeTask(state: GraphState, session: string): { task: Task | undefined; inherited: boolean } {
  const own = currentTask(state, session)
  if (own !== undefined) return { task: own, inherited: false }
  const free = [...state.task.values()].filter(
    (task) =>
      task.status === "active" && (task.assigned_session_id === null || task.assigned_session_id === session),
  )
  return free.length === 1 ? { task: free[0], inherited: true } : { task: undefined, inherited: false }
}

function refuseTool({ tool }: GateCall, task: Task): void {
  if (task.allowed_tools === null || ALWAYS_ALLOWED.test(tool) || task.allowed_tools.includes(tool)) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} may not be used for "${task.title}".`,
    why: `The task allows ${task.allowed_tools.join(", ") || "no tools"}.`,
    use_instead: "Use what is allowed, or report that the task needs more.",
    evidence: `task ${task.id}: allowed_tools`,
  })
}

function refuseUnready({ tool }: GateCall, task: Task, state: GraphState): void {
  const [obstacle] = obstaclesOf(task, lookupIn(state))
  if (obstacle === undefined) return
  throw new HiveError({
    code: "lifecycle",
    what: `${tool} was not run for "${task.title}".`,
    why: obstacle.why,
    use_instead: obstacle.instead,
    evidence: obstacle.evidence,
  })
}

function refuseLocked({ tool, writes }: GateCall, state: GraphState, task: Task | undefined): void {
  for (const path of writes) {
    const holder = lockHolder(state.task.values(), path, task?.id)
    if (holder === undefined) continue
    throw new HiveError({
      code: "conflict",
      what: `${tool} may not write ${path}.`,
      why: `"${holder.title}" has locked it while it is under way.`,
      use_instead: `Work on something else, or wait until ${holder.id.slice(0, 8)} is done.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}

function noTask(call: GateCall, state: GraphState): HiveError {
  const open = [...state.task.values()].find(({ status }) => status === "planned")
  return new HiveError({
    code: "no_task",
    what: `${call.tool} was not run${call.writes[0] === undefined ? "" : ` on ${call.writes[0]}`}.`,
    why: "Governance is strict, and this session has no active task.",
    use_instead:
      open === undefined
        ? "Plan one: hivemind_plan create and plan_tasks, then hivemind_task start."
        : `Start one: hivemind_task start ${open.id.slice(0, 8)} ("${open.title}").`,
    evidence: "read-head: no active task",
  })
}

const NO_TASK_WARNING =
  "HiveMind: this write belongs to no task. Say what it is for: hivemind_task start, or hivemind_session update action."
// Reporting on a task is part of every task.
const ALWAYS_ALLOWED = /^(hivemind_(task|session|memory|inspect)|todowrite|todoread|invalid)$/
