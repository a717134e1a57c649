import { isDoneTask, isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import type { Span } from "./choose.ts"

/** When a session worked on which of its tasks. */
export function spansOf(state: GraphState, session: string): Span[] {
  const atHand = new Set(headOf(state, session)?.active_task_ids ?? [])
  return [...state.task.values()].flatMap((task) => {
    if (task.assigned_session_id !== session || task.started_at === null) return []
    const end = isOverTask(task) ? Date.parse(task.completed_at ?? task.updated_at) : null
    return [{ title: task.title, from: Date.parse(task.started_at), to: end, state: stateOf(task, atHand) }]
  })
}

function stateOf(task: Task, atHand: ReadonlySet<string>): Span["state"] {
  if (atHand.has(task.id)) return "at hand"
  if (isOpenTask(task)) return "open"
  return isDoneTask(task) ? "done" : "given up"
}
