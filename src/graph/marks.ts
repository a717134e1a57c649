import type { Mark, Op } from "../schemas/op.ts"
import type { GraphState } from "./state.ts"

/** How often the session was compacted. */
export function compactionsOf(state: GraphState, session: string): number {
  return state.metrics.get(session)?.marks["compaction"] ?? 0
}

/** True of the op that marks a compaction of this session. */
export function isCompaction(op: Op, session: string): boolean {
  return isMark(op, "compaction", session)
}

/** True of the op that marks that somebody else has changed the file of this session. */
export function isOutsideEdit(op: Op, session: string): boolean {
  return isMark(op, "outside_edit", session)
}

function isMark(op: Op, what: Mark, session: string): boolean {
  return op.op === "mark" && op.what === what && op.session === session
}
