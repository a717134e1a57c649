import type { Plan } from "../schemas/plan.ts"
import { type Task, task as taskSchema } from "../schemas/task.ts"
import { merge } from "../shared/sorting.ts"
import { byAge, compare } from "./by-age.ts"
import { isBlockedTask, isTaskUnderWay, isWaitingTask } from "./lifecycle.ts"
import { first, type Group } from "./record-map.ts"
import type { GraphState } from "./state.ts"

/** `level`: the sub-tasks of a task, or the top tasks of a phase. */
type Place = "plan" | "phase" | "level"
type IsWanted = (task: Pick<Task, "status">) => boolean

/** Yields the tasks of a plan, phase or level with a wanted status, oldest first. */
export function tasksIn(state: GraphState, place: Place, id: string, isWanted: IsWanted): Iterable<Task> {
  return merge(groupsIn(state, place, id, isWanted), byAge)
}

export function countTasksIn(state: GraphState, place: Place, id: string, isWanted: IsWanted): number {
  return groupsIn(state, place, id, isWanted).reduce((sum, { size }) => sum + size, 0)
}

export function groupsIn(state: GraphState, place: Place, id: string, isWanted: IsWanted): Group<Task>[] {
  return statusesWhere(isWanted).map((status) => state.task.by(`${place} ${status}`, id))
}

export function statusesWhere(isWanted: IsWanted): Task["status"][] {
  return taskSchema.shape.status.options.filter((status) => isWanted({ status }))
}

export interface OpenPlan {
  plan: Plan
  next: Task[]
  /** When anything was last written about the plan: itself, a task, or a checkpoint of a task under way. */
  lastWorked: string
}

/** Lists open plans, the most recently worked on first. Needed if no read-head names a plan, as after an import. */
export function openPlans(state: GraphState): OpenPlan[] {
  const open = [...state.plan.by("status", "active"), ...state.plan.by("status", "draft")]
  return open
    .filter(({ purpose }) => purpose === "work")
    .map((plan) => ({ plan, lastWorked: lastWorkedOn(state, plan) }))
    .sort((a, b) => compare(b.lastWorked, a.lastWorked) || compare(a.plan.id, b.plan.id))
    .slice(0, MAX_PLANS)
    .map((each) => ({ ...each, next: nextTasks(state, each.plan.id) }))
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

/** Lists tasks under way, then tasks that can be started, oldest first. If there are none, lists blocked tasks. */
function nextTasks(state: GraphState, plan: string): Task[] {
  const some = (isWanted: IsWanted) => first(MAX_TASKS, tasksIn(state, "plan", plan, isWanted))
  const free = [...some(isTaskUnderWay), ...some((task) => isWaitingTask(task) && !isBlockedTask(task))]
  return free.length > 0 ? free.slice(0, MAX_TASKS) : some(isBlockedTask)
}

const MAX_PLANS = 5
const MAX_TASKS = 3
