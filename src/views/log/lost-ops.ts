import { isSame } from "../../graph/change.ts"
import { fieldOf } from "../../graph/links.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import { type Op, type RecordOp, recordIdOf, setOp } from "../../schemas/op.ts"

/**
 * What an entry of another clone meant and did not get. What it touched together with somebody else is settled in the
 * entry that ends the merge, so something has lost only if it is neither in the one nor in the other, nor so now.
 */
export function lostOps(all: readonly Entry[], n: number, state: GraphState): Op[] {
  const entry = all[n]
  if (entry?.meant === undefined) return []
  const inForce = [entry, ...settlingEntries(all, n)].flatMap(({ ops }) => ops)
  return entry.meant.flatMap((op) => ("kind" in op ? (lostOf(op, inForce, state) ?? []) : []))
}

/** The ones with which the merge that brought it has ended. */
function settlingEntries(all: readonly Entry[], n: number): Entry[] {
  let at = n + 1
  while (all[at]?.brought !== undefined) at++
  const end = all.findIndex((entry, index) => index >= at && entry.by.tool !== SYNC_TOOL)
  return all.slice(at, end < 0 ? undefined : end)
}

function lostOf(op: RecordOp, inForce: readonly Op[], state: GraphState): Op | undefined {
  const id = recordIdOf(op)
  const same = inForce.filter(
    (other) => "kind" in other && other.kind === op.kind && recordIdOf(other) === id,
  )
  const now: Readonly<Record<string, unknown>> | undefined = recordsOf(state, op.kind).get(id)
  switch (op.op) {
    case "add":
      return now !== undefined || same.some((other) => other.op === "add") ? undefined : op
    case "drop":
      return now === undefined || same.some((other) => other.op === "drop") ? undefined : op
    case "archive":
      return undefined
    case "set": {
      const after = (field: string) => {
        const last = same.findLast((other) => other.op === "set" && field in other.to)
        return last?.op === "set" ? fieldOf({ ...last.to }, field) : now?.[field]
      }
      const lost = Object.entries(op.to).filter(
        ([field, value]) => field !== "updated_at" && !isSame(after(field), value),
      )
      if (lost.length === 0) return undefined
      const was = lost.map(([field]) => [field, fieldOf({ ...op.was }, field)])
      // Some of its own fields.
      return setOp(op.kind, id, Object.fromEntries(lost), Object.fromEntries(was))
    }
  }
}
