import type { Task } from "../../schemas/task.ts"
import { type ErrorCode, HiveError } from "../../shared/error.ts"

interface Reason {
  code?: ErrorCode
  why: string
  use_instead: string
  /** The field of the task that decides; its status, if not given. */
  evidence?: string
}

/** Refuses to do something with a task: `The task "Build login" was not started.` */
export function taskRefusal({ id, title, status }: Task, happened: string, reason: Reason): HiveError {
  const { code = "lifecycle", why, use_instead, evidence = `task ${id}: status = ${status}` } = reason
  return new HiveError({ code, what: `The task "${title}" ${happened}.`, why, use_instead, evidence })
}
