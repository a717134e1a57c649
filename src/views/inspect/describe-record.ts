import { recordNames } from "../../graph/record-names.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { Kind } from "../../schemas/records.ts"
import { shortId } from "../../shared/ids.ts"

/** Describes records in one line each: `0a1b2c3d task "Build login" (active)`. */
export function recordDescriber(state: GraphState, isArchived: (id: string) => boolean) {
  const names = recordNames(state)
  return (kind: Kind, id: string): string => {
    const record = recordsOf(state, kind).get(id)
    if (record === undefined) return `${shortId(id)} ${kind} (${isArchived(id) ? "archived" : "not there"})`
    const status = "status" in record ? ` (${record.status})` : ""
    return `${shortId(id)} ${names.nameOf(kind, id)}${status}`
  }
}
