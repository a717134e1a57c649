import type { Trajectory } from "../schemas/session.ts"
import type { GraphState } from "./state.ts"

/**
 * What the work at a read-head is for. What was said of one plan (or phase, or task) does not hold for another: there the
 * plan itself says it. Null where nobody has said anything.
 */
export function intentOf(state: Pick<GraphState, "plan">, head: Trajectory | undefined): string | null {
  if (head === undefined || head.intent === null) return null
  const { intent, intent_about, active_plan_id, active_phase_id, active_task_ids } = head
  const isAbout = [null, active_plan_id, active_phase_id, ...active_task_ids].includes(intent_about)
  return isAbout ? intent : (state.plan.get(active_plan_id ?? "")?.title ?? null)
}
