import type { Task } from "../schemas/task.ts"
import { isUnplanned } from "./inbox.ts"
import { canBeTakenUp, isHeldByOther } from "./lifecycle.ts"
import { lookupIn, obstaclesOf } from "./obstacles.ts"
import { headOf } from "./read-head.ts"
import type { GraphState } from "./state.ts"
import { tasksIn } from "./tasks-in.ts"

/** The oldest task that the session could work on next: in its phase, else in its plan. */
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
