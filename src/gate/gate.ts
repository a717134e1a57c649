import { currentTask } from "../graph/current-task.ts"
import { isUnplanned } from "../graph/inbox.ts"
import { lookupIn, obstaclesOf } from "../graph/obstacles.ts"
import { headOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Config } from "../schemas/config.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { callText, toolName } from "../shared/tool-names.ts"
import { HIVE_FOLDER } from "../store/files/layout.ts"
import { checkDelegation, lastGivenTo, runningFor } from "../work/delegation/rules.ts"
import { governanceFor } from "../work/session/governance.ts"
import { lockHolder } from "../work/task/file-locks.ts"
import { type GateCall, MAX_PATH_CHARS, MAX_WRITTEN_FILES, needsTask } from "./call.ts"
import { makesPlans } from "./planning.ts"
import { isDenied, mayPlan, roleAdvice, roleOf } from "./roles.ts"
import { refuseLifting, type Settings } from "./settings.ts"
import { UNKNOWN_PATH } from "./shell/judgement.ts"

export interface GateInput {
  call: GateCall
  state: GraphState
  config: Config
  /** Does this agent's path scope take in that path? */
  isInScope: (agent: string | null, path: string) => boolean
  /** The project's root: locks may name it. */
  dir?: string
  /** The files that say how HiveMind is loaded and governs, outside of `.hivemind/`. */
  settings?: Settings | undefined
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
  const governance = governanceFor(state, config, call.session)
  if (governance.mode === "off") return { ...passed, task: currentTask(state, call.session) ?? null }
  refuseOversized(call)
  refuseProtectedPaths(call)
  refuseLifting(call, input.settings, input.dir)
  refuseDestructive(call)
  refuseForRole(call, state)
  refuseOutOfScope(input)
  const found = activeTask(state, call)
  passed.task = found.task ?? null
  passed.inherited = found.inherited
  refuseEscape(call, state)
  const isForTask = needsTask(call) || call.subagent !== null
  // In assisted it goes to the session's inbox task, once it is done: see turns/unplanned-work.ts.
  if (needsTask(call) && found.task === undefined && governance.mode === "strict")
    throw noTask(call, state, governance.why)
  if (isForTask && found.task !== undefined) refuseUnready(call, found.task, state)
  refuseTool(call, found.task, state)
  refuseLocked(input, found.task)
  if (call.subagent !== null) passed.warnings.push(...checkDelegation(call.subagent, call, state, governance))
  return passed
}

/** What no program writes and no file system takes would only cost time to look at. */
function refuseOversized({ tool, writes }: GateCall): void {
  const isLong = writes.some((path) => path.length > MAX_PATH_CHARS)
  if (!isLong && writes.length <= MAX_WRITTEN_FILES) return
  throw new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run.`,
    why: isLong
      ? "A path in it is longer than any file system takes."
      : "It names too many files to look at.",
    use_instead: isLong ? "Name the file by its path." : "Write them in several calls, or by a script.",
    evidence: isLong
      ? `a path of more than ${MAX_PATH_CHARS} characters`
      : `more than ${MAX_WRITTEN_FILES} files in one call`,
  })
}

function refuseProtectedPaths(call: GateCall): void {
  const path = call.writes.find((each) => isProtected(each))
  if (path === undefined && !call.shell?.touchesHive) return
  throw new HiveError({
    code: "protected",
    what: `${call.tool} may not write to ${path ?? ".hivemind/"}.`,
    why: "HiveMind's own files are written by its tools only; a stray edit there could mislead every later session.",
    use_instead: `Use ${toolName("memory")}, ${toolName("plan")} or ${toolName("task")}. Notes for people may go to .hivemind/artifacts/.`,
    evidence: path ?? call.command?.text ?? "",
  })
}

function isProtected(path: string): boolean {
  const segments = path.toLowerCase().split("/")
  const at = segments.indexOf(HIVE_FOLDER)
  return at !== -1 && segments[at + 1] !== "artifacts"
}

function refuseDestructive({ tool, shell, lost = shell?.destructive ?? undefined }: GateCall): void {
  if (lost === undefined) return
  throw new HiveError({
    code: "destructive",
    what: `${tool} was not run: ${lost.what}.`,
    why: "What it does cannot be undone.",
    use_instead: "Do it in a way that can be taken back, or ask the user to run it.",
    evidence: lost.part,
  })
}

function refuseForRole(call: GateCall, state: GraphState): void {
  if (!isDenied(call) && (mayPlan(call.agent) || !makesPlans(call, state))) return
  const { tool, agent } = call
  const role = roleOf(agent)
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

/** The session's task at hand; for a write in a session that stands at none, the only one under way in its plan that is free. */
function activeTask(state: GraphState, call: GateCall): { task: Task | undefined; inherited: boolean } {
  const own = currentTask(state, call.session)
  const head = headOf(state, call.session)
  if (own !== undefined || !needsTask(call) || (head?.active_task_ids.length ?? 0) > 0)
    return { task: own, inherited: false }
  const free: Task[] = []
  for (const holder of ["", call.session])
    for (const task of state.task.by("holder", holder)) {
      if (free.length > 1) break
      if (isUnplanned(task)) continue
      if (head?.active_plan_id == null || task.parent_plan_id === head.active_plan_id) free.push(task)
    }
  return free.length === 1 ? { task: free[0], inherited: true } : { task: undefined, inherited: false }
}

/** A delegate works on what it was given: it cannot take up something else to get around its limits. */
function refuseEscape({ tool, own, session }: GateCall, state: GraphState): void {
  const given = runningFor(state, session)
  if (given === undefined || own === null) return
  const { action, task_id } = own.args
  const isOther = own.tool === "task" && action === "start" && !given.task_id.startsWith(String(task_id))
  const isMove = own.tool === "session" && (action === "update" || action === "resume")
  if (!isOther && !isMove) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} ${String(action)} was not run.`,
    why: "You were handed one task, and work on that one.",
    use_instead: "Complete or fail it, and report what else is needed.",
    evidence: `delegation ${given.id}: task ${given.task_id}`,
  })
}

/** What a delegate was limited to holds in its session for good, also once its task is done. */
function refuseTool(
  { tool, own, use, session }: GateCall,
  atHand: Task | undefined,
  state: GraphState,
): void {
  const given = lastGivenTo(state, session)
  const task = atHand ?? state.task.get(given?.task_id ?? "")
  const limits = [atHand?.allowed_tools ?? null, given?.allowed_tools ?? null]
  const limit = limits.find((tools) => tools !== null && !tools.includes(tool))
  if (task === undefined || limit === undefined || limit === null) return
  // Reporting on a task is part of every task; so are the host's own notes.
  if (own === null ? use === "governance" : REPORTING.has(own.tool)) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} may not be used for "${task.title}".`,
    why: `The task allows ${limit.join(", ") || "no tools"}.`,
    use_instead: "Use what is allowed, or report that the task needs more.",
    evidence: `task ${task.id}: allowed tools`,
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

function refuseLocked({ call, state, dir }: GateInput, task: Task | undefined): void {
  const { tool, writes } = call
  for (const path of writes) {
    if (path === UNKNOWN_PATH) continue
    const holder = lockHolder((index, key) => state.task.by(index, key), path, task?.id, dir)
    if (holder === undefined) continue
    throw new HiveError({
      code: "conflict",
      what: `${tool} may not write ${path}.`,
      why: `"${holder.title}" has locked it while it is under way.`,
      use_instead: `Work on something else, or wait until ${shortId(holder.id)} is done.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}

function noTask(call: GateCall, state: GraphState, why: string): HiveError {
  const [open] = state.task.by("status", "planned")
  return new HiveError({
    code: "no_task",
    what: `${call.tool} was not run${call.writes[0] === undefined ? "" : ` on ${call.writes[0]}`}.`,
    why: `${why}, and this session has no active task.`,
    use_instead:
      open === undefined
        ? `Plan one: ${callText("plan", "create")}, ${callText("plan", "plan_tasks")}, then ${callText("task", "start")}.`
        : `Start one: ${callText("task", "start")} ${shortId(open.id)} ("${open.title}").`,
    evidence: "read-head: no active task",
  })
}

const REPORTING = new Set(["task", "session", "memory", "inspect"])
