import { type Task, task as taskSchema } from "../schemas/task.ts"
import { merge } from "../shared/merge.ts"
import { byAge } from "./by-age.ts"
import type { Group } from "./record-map.ts"
import type { GraphState } from "./state.ts"

/** A plan, a phase, or a level: what is under the same task, or directly in the same phase. */
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
