import { recordNames } from "../../graph/record-names.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { Kind } from "../../schemas/records.ts"
import { shortId } from "../../shared/ids.ts"

/** Says of a record what it is, in one line: `0a1b2c3d task "Build login" (active)`. */
export type TellRecord = (kind: Kind, id: string) => string

export function recordTeller(state: GraphState, isArchived: (id: string) => boolean): TellRecord {
  const names = recordNames(state)
  return (kind, id) => {
    const record = recordsOf(state, kind).get(id)
    if (record === undefined) return `${shortId(id)} ${kind} (${isArchived(id) ? "archived" : "not there"})`
    const status = "status" in record ? ` (${record.status})` : ""
    return `${shortId(id)} ${names.nameOf(kind, id)}${status}`
  }
}
