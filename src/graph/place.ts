import type { Phase, Plan } from "../schemas/plan.ts"
import type { Trajectory } from "../schemas/session.ts"
import type { Task } from "../schemas/task.ts"
import { byAge } from "./by-age.ts"
import type { GraphState } from "./state.ts"

/** The records that a read-head points at, and the files its tasks are about. */
export interface Place {
  plan: Plan | undefined
  phase: Phase | undefined
  /** The tasks at hand, in the read-head's order. */
  tasks: Task[]
  /** Files that the tasks at hand name or have touched. */
  files: Set<string>
}

export function placeOf(state: GraphState, head: Trajectory | undefined): Place {
  const tasks = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  const first = tasks[0]
  const plan = state.plan.get(head?.active_plan_id ?? first?.parent_plan_id ?? "")
  const phase = state.phase.get(head?.active_phase_id ?? first?.parent_phase_id ?? "")
  const files = new Set<string>()
  for (const task of tasks) {
    for (const path of task.file_locks) files.add(path)
    if (task.file !== null) files.add(task.file)
  }
  const ids = new Set(tasks.map((task) => task.id))
  if (ids.size > 0) {
    for (const checkpoint of state.checkpoint.values()) {
      if (ids.has(checkpoint.task_id)) for (const path of checkpoint.files) files.add(path)
    }
  }
  return { plan, phase, tasks, files }
}

/** Tasks on the same level: those of the same phase or under the same parent. */
export function siblingsOf(state: GraphState, task: Task): Task[] {
  return [...state.task.values()].filter((other) => {
    if (other.id === task.id) return false
    return task.parent_task_id === null
      ? other.parent_phase_id === task.parent_phase_id && other.parent_task_id === null
      : other.parent_task_id === task.parent_task_id
  })
}

/** From the task upwards: its parent tasks. */
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

export function childrenOf(state: GraphState, task: Task): Task[] {
  return [...state.task.values()].filter((other) => other.parent_task_id === task.id).sort(byAge)
}

// A hand-edited circle of parents must not hang a turn.
const MAX_DEPTH = 10
