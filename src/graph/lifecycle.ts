import type { Plan } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"

/** Still to be done, under way or in review. A failed task is over until somebody takes it up again. */
export function isOpenTask(status: Task["status"]): boolean {
  return status !== "completed" && status !== "failed" && status !== "invalidated"
}

export function isOverPlan(status: Plan["status"]): boolean {
  return status === "completed" || status === "archived" || status === "abandoned"
}
