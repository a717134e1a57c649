import type { Transaction } from "../../graph/transaction.ts"
import type { Task } from "../../schemas/task.ts"

/** A task that was begun is open for anybody again. */
export function releaseTask(tx: Transaction, { id }: Task, at: string): void {
  tx.set("task", id, { status: "planned", assigned_session_id: null, updated_at: at })
  removeFromReadHeads(tx, id, at)
}

/** No read-head points at a task that is over or nobody's. */
export function removeFromReadHeads(tx: Transaction, taskId: string, at: string): void {
  for (const head of [...tx.by("trajectory", "active_task_ids", taskId)]) {
    const active_task_ids = head.active_task_ids.filter((id) => id !== taskId)
    tx.set("trajectory", head.id, { active_task_ids, updated_at: at })
  }
}
