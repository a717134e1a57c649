import { isUnplanned } from "../../graph/inbox.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Task } from "../../schemas/task.ts"

/** The session has a task now, or is over: its inbox task takes in nothing more. */
export function endUnplannedOf(tx: Transaction, session: string, why: string, now: number): void {
  for (const task of [...tx.by("task", "holder", session)])
    if (isUnplanned(task)) endUnplanned(tx, task, why, now)
}

/** Completed, whatever it holds: what was changed is on record, and nobody said what would have to be shown for it. */
export function endUnplanned(tx: Transaction, { id }: Task, why: string, now: number): void {
  const at = new Date(now).toISOString()
  tx.set("task", id, { status: "completed", evidence: why, completed_at: at, updated_at: at })
}
