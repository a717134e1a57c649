import type { Mem } from "../../schemas/knowledge.ts"
import { isAddOf, type Op } from "../../schemas/op.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import { isMemInForce } from "../lifecycle.ts"
import type { Fields } from "./conflicts.ts"
import type { MergeDraft } from "./draft.ts"

/**
 * What a change means for the status of a mem that clones have replaced, each in its own way. Who replaces one that was
 * replaced already changes nothing about its status, and means it all the same. And who takes a replacement back does not
 * know of another one.
 */
export function withReplacements(
  draft: MergeDraft,
  ops: readonly Op[],
  kind: Kind,
  record: AnyRecord,
  to: Fields,
): Fields {
  if (kind !== "mem") return to
  // Kind and record belong together.
  const { id, status } = record as Mem
  const isReplacing = ops.some((op) => isAddOf(op, "mem") && op.record.supersedes === id)
  if (isReplacing) return status === "active" ? { ...to, status: "superseded" } : to
  if (to["status"] !== "active" || status !== "superseded") return to
  const dropped = new Set(ops.flatMap((op) => (op.op === "drop" ? op.id : [])))
  const others = draft.by("mem", "supersedes", id).filter((other) => !dropped.has(other.id))
  if (!others.some((other) => isMemInForce(other as Mem))) return to
  const { status: _, ...rest } = to
  return rest
}

/** The mems that these ops put back in force: whether they stay replaced depends on what replaces them, wherever that is. */
export function putBackIn(ops: readonly Op[]): string[] {
  return ops.flatMap((op) => (op.op === "set" && op.kind === "mem" && op.to.status === "active" ? op.id : []))
}
