import { currentTask } from "../graph/current-task.ts"
import { isUnplanned } from "../graph/inbox.ts"
import { holderOf, isClosedSession } from "../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../graph/obstacles.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { callText } from "../shared/tool-names.ts"
import { lastGivenTo, runningFor } from "../work/delegation/check-delegation.ts"
import { type GateCall, needsTask } from "./call.ts"

/** The session's active task. A write without one inherits the plan's only active task that no session holds. */
export function activeTask(state: GraphState, call: GateCall) {
  const own = currentTask(state, call.session)
  const head = headOf(state, call.session)
  if (own !== undefined || !needsTask(call) || (head?.active_task_ids.length ?? 0) > 0)
    return { task: own, inherited: false }
  const free: Task[] = []
  for (const task of state.task.by("status", "active")) {
    if (free.length > 1) break
    if (isUnplanned(task) || isWorkedOn(task, call.session, state)) continue
    if (head?.active_plan_id == null || task.parent_plan_id === head.active_plan_id) free.push(task)
  }
  return free.length === 1 ? { task: free[0], inherited: true } : { task: undefined, inherited: false }
}

/** Whether another session has the task. A session that ended without being closed keeps its task: it may be resumed. */
function isWorkedOn(task: Task, session: string, state: GraphState): boolean {
  const holder = holderOf(task)
  return holder !== null && holder !== session && !isClosedSession(sessionOf(state, holder))
}

export function refuseWithoutTask(call: GateCall, state: GraphState): never {
  const [open] = state.task.by("status", "planned")
  throw new HiveError({
    code: "no_task",
    what: `${call.tool} was not run${call.writes[0] === undefined ? "" : ` on ${call.writes[0]}`}.`,
    why: "Governance is strict, and this session has no active task.",
    use_instead:
      open === undefined
        ? `Plan one: ${callText("plan", "create")}, ${callText("plan", "plan_tasks")}, then ${callText("task", "start")}.`
        : `Start one: ${callText("task", "start")} ${shortId(open.id)} ("${open.title}").`,
    evidence: "read-head: no active task",
  })
}

export function refuseBlockedTask({ tool }: GateCall, task: Task, state: GraphState): void {
  const [obstacle] = obstaclesOf(task, lookupIn(state))
  if (obstacle === undefined) return
  throw new HiveError({
    code: "lifecycle",
    what: `${tool} was not run for "${task.title}".`,
    why: obstacle.why,
    use_instead: obstacle.use_instead,
    evidence: obstacle.evidence,
  })
}

export function refuseOtherTask({ tool, own, session }: GateCall, state: GraphState): void {
  const given = runningFor(state, session)
  if (given === undefined || own === null) return
  const { action, task_id } = own.args
  const isOther = own.tool === "task" && action === "start" && !given.task_id.startsWith(String(task_id))
  const isMove = own.tool === "session" && (action === "update" || action === "resume")
  if (!isOther && !isMove) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} ${String(action)} was not run.`,
    why: "This session was given one task, and may not work on another.",
    use_instead: "Complete or fail that task, and report further work.",
    evidence: `delegation ${given.id}: task ${given.task_id}`,
  })
}

/** The tool limits of a delegation apply to its session even after its task is done. */
export function refuseDisallowedTool(call: GateCall, atHand: Task | undefined, state: GraphState): void {
  const { tool, own, use, session } = call
  const given = lastGivenTo(state, session)
  const task = atHand ?? state.task.get(given?.task_id ?? "")
  const limits = [atHand?.allowed_tools ?? null, given?.allowed_tools ?? null]
  const limit = limits.find((tools) => tools !== null && !tools.includes(tool))
  if (task === undefined || limit === undefined || limit === null) return
  // HiveMind's reporting tools and the host's own todo notes are always allowed.
  if (own === null ? use === "governance" : REPORTING.has(own.tool)) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} may not be used for "${task.title}".`,
    why: `The task allows ${limit.join(", ") || "no tools"}.`,
    use_instead: "Use an allowed tool, or report that the task needs this tool.",
    evidence: `task ${task.id}: allowed tools`,
  })
}

const REPORTING = new Set(["task", "session", "memory", "inspect"])
