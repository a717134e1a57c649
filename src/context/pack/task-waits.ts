import { isDoneTask, isOpenDecision, isOverTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"

/** What a task waits for, as its element says it: tasks that are not done, and decisions that are open. */
export interface TaskWaits {
  waits_for: string
  needs_decision: string
}

/**
 * What is done holds nothing back any more: named here, it would keep the model from a task that is free. And what is over
 * waits for nothing.
 */
export function taskWaits(state: GraphState, task: Task): TaskWaits {
  if (isOverTask(task)) return { waits_for: "", needs_decision: "" }
  const gate = task.temporal_gate === null ? [] : [task.temporal_gate.after_task_id]
  const missing = [...task.depends_on, ...gate].filter((id) => !isDoneTask(state.task.get(id)))
  const open = task.decisions.filter((id) => isOpenDecision(state.mem.get(id)))
  return { waits_for: named(missing), needs_decision: named(open) }
}

/** Both in one text, to see whether anything about it has changed; "" where it waits for nothing. */
export function waitsText({ waits_for, needs_decision }: TaskWaits): string {
  return waits_for + needs_decision === "" ? "" : `${waits_for} / ${needs_decision}`
}

function named(ids: readonly string[]): string {
  return [...new Set(ids)].map(shortId).join(" ")
}
