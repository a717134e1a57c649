import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { callText } from "../shared/tool-names.ts"
import { isUnplanned } from "./inbox.ts"
import { canBeTakenUp, isHeldByOther, isTaskUnderWay } from "./lifecycle.ts"
import { lookupIn, obstaclesOf } from "./obstacles.ts"
import { headOf } from "./read-head.ts"
import { resolveId } from "./resolve-id.ts"
import type { GraphState } from "./state.ts"
import { tasksIn } from "./tasks-in.ts"

export function requireTask(state: GraphState, session: string, given: string | undefined): Task {
  const id = given === undefined ? currentTask(state, session)?.id : resolveId(state, "task", given)
  const task = id === undefined ? undefined : state.task.get(id)
  if (task !== undefined) return task
  throw new HiveError({
    code: "not_found",
    what: given === undefined ? "There is no current task." : `There is no task ${given}.`,
    why: given === undefined ? "This session has not started one." : "No task has this id.",
    use_instead: `Name a task by its id; ${callText("plan", "status")} lists them.`,
    evidence: given ?? "read-head: no active task",
  })
}

export function currentTask(state: GraphState, session: string | null): Task | undefined {
  const tasks = (headOf(state, session)?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  return tasks.find(isTaskUnderWay)
}

/** Returns the oldest task that the session could start next: in its phase, or else in its plan. */
export function nextTask(state: GraphState, session: string): Task | undefined {
  const head = headOf(state, session)
  const isFree = (task: Task) =>
    !isUnplanned(task) &&
    !head?.active_task_ids.includes(task.id) &&
    !isHeldByOther(task, session) &&
    obstaclesOf(task, lookupIn(state)).length === 0
  for (const [place, id] of [
    ["phase", head?.active_phase_id],
    ["plan", head?.active_plan_id],
  ] as const) {
    const task = [...tasksIn(state, place, id ?? "", canBeTakenUp)].find(isFree)
    if (task !== undefined) return task
  }
  return undefined
}
