import { isDonePlan, isDoneTask, isOpenDecision, isOpenPlan, isOverTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"

/** What a plan or task waits for, as its element says it: what is not done, and decisions that are open. */
export interface Waits {
  waits_for: string
  needs_decision: string
}

/**
 * What is done holds nothing back any more: named here, it would keep the model from a task that is free. And what is over
 * waits for nothing.
 */
export function taskWaits(state: GraphState, task: Task): Waits {
  if (isOverTask(task)) return { waits_for: "", needs_decision: "" }
  const gate = task.temporal_gate === null ? [] : [task.temporal_gate.after_task_id]
  const missing = [...task.depends_on, ...gate].filter((id) => !isDoneTask(state.task.get(id)))
  const open = task.decisions.filter((id) => isOpenDecision(state.mem.get(id)))
  return { waits_for: named(missing), needs_decision: named(open) }
}

/** The plans that have to be done before it; of one that is over, nothing. */
export function planWaits(state: GraphState, plan: Plan): Waits {
  const missing = plan.depends_on.filter((id) => !isDonePlan(state.plan.get(id)))
  return { waits_for: isOpenPlan(plan) ? named(missing) : "", needs_decision: "" }
}

/** Both in one text, to see whether anything about it has changed; "" where it waits for nothing. */
export function waitsText({ waits_for, needs_decision }: Waits): string {
  return waits_for + needs_decision === "" ? "" : `${waits_for} / ${needs_decision}`
}

function named(ids: readonly string[]): string {
  return [...new Set(ids)].map(shortId).join(" ")
}
