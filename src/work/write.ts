import type { Transaction } from "../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { type ErrorCode, HiveError } from "../shared/error.ts"

/** A caller that is a session of the host, not a person at a terminal. */
export type SessionCaller = Caller & { session: string }

/** Writes one transaction in the caller's name. `at` is the time of the write, as records hold it. */
export async function writeGraph<T>(
  hive: Hive,
  caller: Caller,
  change: (tx: Transaction, at: string, now: number) => T,
): Promise<T> {
  const now = hive.source.now()
  const at = new Date(now).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => change(tx, at, now))
  return result
}

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
