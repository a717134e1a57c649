import type { Phase, Plan } from "../schemas/plan.ts"
import type { Trajectory } from "../schemas/session.ts"
import type { Task } from "../schemas/task.ts"
import { first } from "./record-map.ts"
import type { GraphState } from "./state.ts"

/** The records that a read-head points at, and the files of its tasks. */
export interface Place {
  plan: Plan | undefined
  phase: Phase | undefined
  tasks: Task[]
  /** Files that the active tasks name, lock or have changed recently. */
  files: Set<string>
}

export function placeOf(state: GraphState, head: Trajectory | undefined): Place {
  const tasks = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  const task = tasks[0]
  const plan = state.plan.get(head?.active_plan_id ?? task?.parent_plan_id ?? "")
  const phase = state.phase.get(head?.active_phase_id ?? task?.parent_phase_id ?? "")
  const files = new Set<string>()
  for (const { id, file, file_locks } of tasks) {
    for (const path of file_locks) files.add(path)
    if (file !== null) files.add(file)
    for (const checkpoint of first(MAX_LOOKED_AT, state.checkpoint.by("task_id", id).backwards()))
      for (const path of checkpoint.files) files.add(path)
  }
  return { plan, phase, tasks, files }
}

export function ancestorsOf(state: GraphState, task: Task): Task[] {
  const up: Task[] = []
  for (let id = task.parent_task_id; id !== null && up.length < MAX_DEPTH; ) {
    const parent = state.task.get(id)
    if (parent === undefined) break
    up.push(parent)
    id = parent.parent_task_id
  }
  return up
}

// Damaged records may form a circle of parents.
const MAX_DEPTH = 10
const MAX_LOOKED_AT = 5000
