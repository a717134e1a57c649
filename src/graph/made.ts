import { freeStamp } from "../shared/stamp.ts"
import type { Transaction } from "./transaction.ts"

/** The times and the stamp of a record made now; no two of a kind have the same stamp. */
export function madeNow(tx: Transaction, kind: "plan" | "phase" | "task", now: number) {
  const at = new Date(now).toISOString()
  const taken = new Set(Array.from(tx.all(kind), (record) => record.stamp))
  return { created_at: at, updated_at: at, stamp: freeStamp(now, (stamp) => taken.has(stamp)) }
}
