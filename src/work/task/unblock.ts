import { byAge } from "../../graph/by-age.ts"
import { isBlockedTask } from "../../graph/lifecycle.ts"
import { type Lookup, obstaclesOf } from "../../graph/obstacles.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Task } from "../../schemas/task.ts"

/**
 * Unblocks every task that nothing holds back any more, for example after a task was completed. Returns them in the
 * order they were planned.
 */
export function unblockTasks(tx: Transaction, at: string): Task[] {
  const get: Lookup = (kind, id) => tx.get(kind, id)
  const freed = [...tx.all("task")]
    .filter((task) => isBlockedTask(task) && obstaclesOf(task, get).length === 0)
    .sort(byAge)
  for (const task of freed) tx.set("task", task.id, { status: "planned", updated_at: at })
  return freed.map((task) => tx.need("task", task.id))
}

/** Blocks every planned task that something holds back. */
export function blockTasks(tx: Transaction, at: string): void {
  const get: Lookup = (kind, id) => tx.get(kind, id)
  for (const task of [...tx.all("task")]) {
    if (task.status !== "planned" || obstaclesOf(task, get).length === 0) continue
    tx.set("task", task.id, { status: "blocked", updated_at: at })
  }
}
