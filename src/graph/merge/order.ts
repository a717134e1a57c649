import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import type { Op } from "../../schemas/op.ts"
import type { Kind } from "../../schemas/records.ts"
import { compare } from "../by-age.ts"

/** Sorts entries in the same order in every clone. A clock is logical: an entry comes after all that its writer knew. */
export function byClock(a: Entry, b: Entry): number {
  return a.clock - b.clock || compare(a.writer, b.writer) || compare(a.id, b.id)
}

/** The clock of the next entry: the time in ms, but at least one more than the highest clock seen so far. */
export function nextClock(highest: number, now: number): number {
  return Math.max(highest + 1, Math.floor(now))
}

/** True for kinds that sync exchanges. Read-heads and metrics of sessions stay in their clone. */
export function isShared(kind: Kind): boolean {
  return kind !== "trajectory" && kind !== "metrics"
}

export function sharedEntry({ ops, ...entry }: Entry): Entry | undefined {
  if (entry.brought !== undefined || DERIVED.has(entry.by.tool)) return undefined
  const shared = ops.filter(
    (op: Op) => "kind" in op && op.op !== "archive" && isShared(op.kind) && !isOfWorkTree(op),
  )
  return shared.length === 0 ? undefined : { ...entry, ops: shared }
}

/** True if the op only marks a document as changed or current: other clones have other work trees. */
function isOfWorkTree(op: Op): boolean {
  if (op.op !== "set" || op.kind !== "artifact") return false
  const { status = "current", updated_at: _, ...rest } = op.to
  return Object.keys(rest).length === 0 && (status === "current" || status === "changed")
}

// Entries of these tools are not shared: every clone computes merges and archives mems itself.
const DERIVED = new Set([SYNC_TOOL, "archive"])
