import type { Transaction } from "../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { type ErrorCode, HiveError } from "../shared/error.ts"

export type SessionCaller = Caller & { session: string }

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

type Reason = { code?: ErrorCode; why: string; use_instead: string; evidence?: string }

/** Refuses to do something with a task: `The task "Build login" was not started.` */
export function taskRefusal({ id, title, status }: Task, happened: string, reason: Reason): HiveError {
  const { code = "lifecycle", why, use_instead, evidence = `task ${id}: status = ${status}` } = reason
  return new HiveError({ code, what: `The task "${title}" ${happened}.`, why, use_instead, evidence })
}

/** The tool name in checkpoints of slash commands, and the counter of slash commands. */
export const COMMAND = "command"
export const COMMANDS = "commands"
