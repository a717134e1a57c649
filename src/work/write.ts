import type { Transaction } from "../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"

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
