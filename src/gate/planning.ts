import { titleKey } from "../graph/indexes.ts"
import { isOpenPlan } from "../graph/lifecycle.ts"
import { headOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { GateCall } from "./call.ts"

/** True if a call of the session's tool would make a plan, a phase or a task, and not only go to one that is there. */
export function makesPlans({ own, session }: GateCall, state: GraphState): boolean {
  if (own?.tool !== "session" || own.args["action"] !== "update") return false
  const { level, content } = own.args
  if (typeof content !== "string") return false
  const key = titleKey(content)
  if (level === "trajectory")
    return ![...state.plan.by("title", key)].some(({ purpose }) => purpose === "work")
  const plan = state.plan.get(headOf(state, session)?.active_plan_id ?? "")
  if (!isOpenPlan(plan)) return true
  const there =
    level === "tactic"
      ? [...state.phase.by("parent_plan_id", plan?.id ?? "")].filter(({ title }) => titleKey(title) === key)
      : [...state.task.by("title", key)].filter(({ parent_plan_id }) => parent_plan_id === plan?.id)
  return there.length === 0
}
