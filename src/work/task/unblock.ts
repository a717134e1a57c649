import { byAge } from "../../graph/by-age.ts"
import { isBlockedTask } from "../../graph/lifecycle.ts"
import { type Lookup, obstaclesOf } from "../../graph/obstacles.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Task } from "../../schemas/task.ts"

/** Of these tasks, unblocks those that nothing holds back any more. Returns them in the order they were planned. */
export function unblockTasks(tx: Transaction, waiting: Iterable<Task>, at: string): Task[] {
  const get: Lookup = (kind, id) => tx.get(kind, id)
  const freed = [...new Set(waiting)]
    .filter((task) => isBlockedTask(task) && obstaclesOf(task, get).length === 0)
    .sort(byAge)
  for (const task of freed) tx.set("task", task.id, { status: "planned", updated_at: at })
  return freed.map((task) => tx.need("task", task.id))
}

export function* waitingForTask(tx: Transaction, id: string): Iterable<Task> {
  yield* tx.by("task", "depends_on", id)
  yield* tx.by("task", "temporal_gate.after_task_id", id)
}

/** The tasks of every plan that depends on it. */
export function* waitingForPlan(tx: Transaction, id: string): Iterable<Task> {
  for (const plan of tx.by("plan", "depends_on", id)) yield* tx.by("task", "plan blocked", plan.id)
}

export function waitingForDecision(tx: Transaction, id: string): Iterable<Task> {
  return tx.by("task", "decisions", id)
}

/** Of these tasks, blocks those that something holds back. */
export function blockTasks(tx: Transaction, planned: readonly Task[], at: string): void {
  const get: Lookup = (kind, id) => tx.get(kind, id)
  for (const task of planned) {
    if (task.status !== "planned" || obstaclesOf(task, get).length === 0) continue
    tx.set("task", task.id, { status: "blocked", updated_at: at })
  }
}
