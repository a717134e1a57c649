import { kinds } from "../schemas/records.ts"
import { shortId } from "../shared/ids.ts"
import { startOf } from "./indexes.ts"
import { type GraphState, recordsOf } from "./state.ts"

/** The start of an id that names no other record: eight characters, and more where two begin alike. */
export function uniqueId(state: GraphState, id: string): string {
  let length = shortId(id).length
  for (const kind of kinds)
    for (const other of recordsOf(state, kind).by("start", startOf(id)))
      if (other.id !== id) length = Math.max(length, commonLength(id, other.id) + 1)
  return id.slice(0, length)
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
