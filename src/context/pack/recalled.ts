import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"

/** What the user's words or the task at hand have brought back. */
export type Recalled = RecalledMem | RecalledTask

/** A mem, hot or archived. */
export interface RecalledMem {
  mem: Mem
  /** The words that brought it. */
  reason: string
}

/** A task that failed, in whatever plan. */
export interface RecalledTask {
  task: Task
  reason: string
}
