import type { Phase, Plan } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"
import { derivedId } from "../shared/ids.ts"
import type { Transaction } from "./transaction.ts"

/** The phase of a plan for tasks without a phase. */
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

/** It follows from the plan's, so every process makes the same one. */
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

/** True of an inbox task, which collects work without a task. It was not planned, and no read-head has to stand there. */
export function isUnplanned({ purpose }: Pick<Task, "purpose">): boolean {
  return purpose === "unplanned"
}
