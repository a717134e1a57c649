import { madeNow } from "../../graph/made.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"

/** The plan's phase with that title or id. Creates it at the end of the plan if there is none. */
export function ensurePhase(
  { tx, now, newId }: { tx: Transaction; now: number; newId: () => string },
  plan: Plan,
  wanted: string,
  status: "planned" | "active",
): Phase {
  const ofPlan = [...tx.by("phase", "parent_plan_id", plan.id)]
  const words = wanted.trim().toLowerCase()
  const there = ofPlan.find(
    ({ id, title }) => title.trim().toLowerCase() === words || (words.length >= 8 && id.startsWith(words)),
  )
  if (there !== undefined) return there
  const order = ofPlan.reduce((last, phase) => Math.max(last, phase.order), 0) + 1
  const rest = { parent_plan_id: plan.id, title: wanted, order, inbox: false, status, summary: null }
  const phase: Phase = { id: newId(), ...rest, ...madeNow(tx, "phase", now) }
  tx.add("phase", phase)
  return phase
}
