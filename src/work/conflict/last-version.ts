import type { Conflict } from "../../schemas/conflict.ts"
import type { AnyRecord } from "../../schemas/records.ts"
import type { Store } from "../../store/store.ts"

/** A record that was taken away, as it was then: from the conflict itself, or from the log. */
export async function lastVersion(store: Store, conflict: Conflict): Promise<AnyRecord | undefined> {
  const { rule, record_id, lost } = conflict
  if (rule !== "dropped" || Object.keys(lost.fields).length === 0) return undefined
  // What a conflict holds as `record` was a record of that kind.
  if ("record" in lost.fields) return lost.fields["record"] as AnyRecord
  const entries = await store.log({ naming: record_id })
  for (const { ops } of entries.toReversed())
    for (const op of ops) if (op.op === "drop" && op.id === record_id) return op.was
  return undefined
}
