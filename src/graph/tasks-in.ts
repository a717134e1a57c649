import type { Plan } from "../schemas/plan.ts"
import { type Task, task as taskSchema } from "../schemas/task.ts"
import { merge } from "../shared/sorting.ts"
import { byAge, compare } from "./by-age.ts"
import { isBlockedTask, isTaskUnderWay, isWaitingTask } from "./lifecycle.ts"
import { first, type Group } from "./record-map.ts"
import type { GraphState } from "./state.ts"

/** A plan, a phase, or a level: the tasks under the same task, or directly in the same phase. */
type Place = "plan" | "phase" | "level"
type IsWanted = (task: Pick<Task, "status">) => boolean

/** The tasks of a plan, a phase or a level in a status that is wanted, the oldest first. */
export function tasksIn(state: GraphState, place: Place, id: string, isWanted: IsWanted): Iterable<Task> {
  return merge(groupsIn(state, place, id, isWanted), byAge)
}

export function countTasksIn(state: GraphState, place: Place, id: string, isWanted: IsWanted): number {
  return groupsIn(state, place, id, isWanted).reduce((sum, { size }) => sum + size, 0)
}

/** The same, a group for each status. */
export function groupsIn(state: GraphState, place: Place, id: string, isWanted: IsWanted): Group<Task>[] {
  return statusesWhere(isWanted).map((status) => state.task.by(`${place} ${status}`, id))
}

export function statusesWhere(isWanted: IsWanted): Task["status"][] {
  return taskSchema.shape.status.options.filter((status) => isWanted({ status }))
}

/** A plan that a session can take up, and the tasks that come next in it. */
export interface OpenPlan {
  plan: Plan
  next: Task[]
  /** When the plan, one of its tasks or a task's checkpoint was last written. */
  lastWorked: string
}

/**
 * The open plans of people and agents, the most recently worked first. Shown where no read-head says what to work on:
 * after an import, a sync or a restore.
 */
export function openPlans(state: GraphState, maxPlans = MAX_PLANS, maxTasks = MAX_TASKS): OpenPlan[] {
  const open = [...state.plan.by("status", "active"), ...state.plan.by("status", "draft")]
  return open
    .filter(({ purpose }) => purpose === "work")
    .map((plan) => ({ plan, lastWorked: lastWorkedOn(state, plan) }))
    .sort((a, b) => compare(b.lastWorked, a.lastWorked) || compare(a.plan.id, b.plan.id))
    .slice(0, maxPlans)
    .map((each) => ({ ...each, next: nextTasks(state, each.plan.id, maxTasks) }))
}

function lastWorkedOn(state: GraphState, plan: Plan): string {
  let last = plan.updated_at
  for (const { id, status, updated_at } of state.task.by("parent_plan_id", plan.id)) {
    if (updated_at > last) last = updated_at
    if (!isTaskUnderWay({ status })) continue
    const [checkpoint] = first(1, state.checkpoint.by("task_id", id).backwards())
    if (checkpoint !== undefined && checkpoint.created_at > last) last = checkpoint.created_at
  }
  return last
}

/** Tasks under way, then those that can be started, each oldest first; where all are blocked, those. */
function nextTasks(state: GraphState, plan: string, max: number): Task[] {
  const some = (isWanted: (task: Pick<Task, "status">) => boolean) =>
    first(max, tasksIn(state, "plan", plan, isWanted))
  const free = [...some(isTaskUnderWay), ...some((task) => isWaitingTask(task) && !isBlockedTask(task))]
  return free.length > 0 ? free.slice(0, max) : some(isBlockedTask)
}

const MAX_PLANS = 5
const MAX_TASKS = 3
