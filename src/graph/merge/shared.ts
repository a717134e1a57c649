import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import type { Op } from "../../schemas/op.ts"
import type { Kind } from "../../schemas/records.ts"

/** True of what all clones have in common. Where a session stands, and what was measured of it, is a clone's own. */
export function isShared(kind: Kind): boolean {
  return kind !== "trajectory" && kind !== "metrics"
}

/** An entry as other clones get it, or undefined where there is nothing in it for them. */
export function sharedEntry({ ops, ...entry }: Entry): Entry | undefined {
  if (entry.brought !== undefined || DERIVED.has(entry.by.tool)) return undefined
  const shared = ops.filter((op: Op) => "kind" in op && op.op !== "archive" && isShared(op.kind))
  return shared.length === 0 ? undefined : { ...entry, ops: shared }
}

// What leaves the hot set is for each clone to decide.
const DERIVED = new Set([SYNC_TOOL, "archive"])
