import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import type { Op } from "../../schemas/op.ts"
import type { Kind } from "../../schemas/records.ts"
import { compare } from "../by-age.ts"

/**
 * The order of entries of all clones, the same in each of them. The clock of an entry is higher than that of every entry
 * its writer had seen, so cause comes before effect; of what clones wrote without knowing of each other, the later one in
 * time comes later, as far as their machines agree about the time.
 */
export function byClock(a: Entry, b: Entry): number {
  return a.clock - b.clock || compare(a.writer, b.writer) || compare(a.id, b.id)
}

/** The clock of the next entry: the time in milliseconds, or one more than the highest clock that its writer has seen. */
export function nextClock(highest: number, now: number): number {
  return Math.max(highest + 1, Math.floor(now))
}

/** True of records that all clones share. A session's state and its measurements are a clone's own. */
export function isShared(kind: Kind): boolean {
  return kind !== "trajectory" && kind !== "metrics"
}

/** An entry as other clones get it, or undefined where there is nothing in it for them. */
export function sharedEntry({ ops, ...entry }: Entry): Entry | undefined {
  if (entry.brought !== undefined || DERIVED.has(entry.by.tool)) return undefined
  const shared = ops.filter(
    (op: Op) => "kind" in op && op.op !== "archive" && isShared(op.kind) && !isOfWorkTree(op),
  )
  return shared.length === 0 ? undefined : { ...entry, ops: shared }
}

/** True of a mark that a document has changed, or has not: that is so in one work tree. Others may be on another commit. */
function isOfWorkTree(op: Op): boolean {
  if (op.op !== "set" || op.kind !== "artifact") return false
  const { status = "current", updated_at: _, ...rest } = op.to
  return Object.keys(rest).length === 0 && (status === "current" || status === "changed")
}

// Each clone decides for itself which mems leave the hot set.
const DERIVED = new Set([SYNC_TOOL, "archive"])
