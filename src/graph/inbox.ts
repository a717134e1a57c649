import type { Phase, Plan } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"
import { derivedId } from "../shared/ids.ts"
import type { Transaction } from "./transaction.ts"

export function inboxOf(plan: Pick<Plan, "id" | "created_at" | "stamp">): Phase {
  return {
    id: inboxIdOf(plan.id),
    parent_plan_id: plan.id,
    title: "Inbox",
    order: 0,
    inbox: true,
    status: "active",
    summary: null,
    created_at: plan.created_at,
    updated_at: plan.created_at,
    stamp: plan.stamp,
  }
}

/** The id is derived from the plan's id, so that all processes create the same inbox. */
export function inboxIdOf(plan: string): string {
  return derivedId("inbox", plan)
}

export function ensureInbox(tx: Transaction, plan: Plan): Phase {
  const inbox = inboxOf(plan)
  const there = tx.get("phase", inbox.id)
  if (there !== undefined) return there
  tx.add("phase", inbox)
  return inbox
}

/** True for a task that collects work done without a planned task. */
export function isUnplanned({ purpose }: Pick<Task, "purpose">): boolean {
  return purpose === "unplanned"
}
