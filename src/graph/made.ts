import { freeStamp } from "../shared/stamp.ts"
import { isEmpty } from "./record-map.ts"
import type { Transaction } from "./transaction.ts"

/** The times and the stamp of a record made now; no two of a kind have the same stamp. */
export function madeNow(tx: Transaction, kind: "plan" | "phase" | "task", now: number) {
  const at = new Date(now).toISOString()
  return { created_at: at, updated_at: at, stamp: newStamp(tx, kind, now) }
}

/** The stamp of now, or the next one that no other record of the kind has. */
export function newStamp(tx: Transaction, kind: "session" | "plan" | "phase" | "task", now: number): string {
  return freeStamp(now, (stamp) => !isEmpty(tx.by(kind, "stamp", stamp)))
}
