import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { START_LENGTH, startOf } from "./indexes.ts"
import type { RecordMap } from "./record-map.ts"
import { type GraphState, recordsOf } from "./state.ts"

/** Completes an id from its first characters. Throws if no record or several records match. */
export function resolveId(state: GraphState, kind: Kind | "any", given: string): string {
  const wanted = given.toLowerCase()
  const searched = kind === "any" ? kinds : [kind]
  const found = new Set<string>()
  for (const each of searched) {
    const records = recordsOf(state, each)
    if (records.has(wanted)) return wanted
    if (wanted.length < FULL_LENGTH) for (const id of idsLike(records, wanted)) found.add(id)
  }
  const [only] = found
  if (only !== undefined && found.size === 1) return only
  if (wanted.length >= FULL_LENGTH) return wanted // The record may be in the archive; the caller checks that.
  throw new HiveError({
    code: "not_found",
    what:
      found.size === 0
        ? `There is no ${kind === "any" ? "record" : kind} ${given}.`
        : `"${given}" is ambiguous.`,
    why: found.size === 0 ? `No id starts with "${given}".` : `${found.size} ids start with it.`,
    use_instead: found.size === 0 ? "Use an id that HiveMind has shown." : "Use more of the id.",
    evidence: [...found].slice(0, 5).join(", ") || given,
  })
}

export function* idsLike(records: RecordMap<AnyRecord>, wanted: string): Iterable<string> {
  const near = wanted.length < START_LENGTH ? records.values() : records.by("start", startOf(wanted))
  for (const { id } of near) if (id.startsWith(wanted)) yield id
}

const FULL_LENGTH = 36

/** Shortens an id to at least eight characters that no other id begins with. */
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
