import { headOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import { cursorOf } from "../hierarchy/tree.ts"
import { kindOf } from "./links-of.ts"

/** Finds a record by its id, the start of it, or a session's stamp or host id; without any, the one at the read-head. */
export function findRecord(
  hive: Hive,
  session: string | null,
  given: string | undefined,
): { kind: Kind; record: AnyRecord } {
  const { state } = hive.store.read()
  if (given === undefined) {
    const here = cursorOf(state, headOf(state, session))
    if (here === undefined) throw noReadHead()
    return { kind: kindOf(state, here.id), record: here }
  }
  // Old files have several sessions with one stamp: the newest counts.
  const named = [...state.session.values()]
    .filter(({ stamp, host_id }) => stamp === given || host_id === given)
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at))[0]
  if (named !== undefined) return { kind: "session", record: named }
  const id = STAMP.test(given) ? given : wholeId(hive, state, given)
  const kind = kindOf(state, id)
  const record = recordsOf(state, kind).get(id) ?? hive.store.archive.get(id)
  if (record === undefined) throw notFound(given)
  return { kind, record }
}

/** Also completes ids that only the archive has. */
function wholeId(hive: Hive, state: GraphState, given: string): string {
  try {
    return resolveId(state, "any", given)
  } catch (error) {
    const [only, ...more] = hive.store.archive.startingWith(given.toLowerCase(), 2)
    if (only === undefined || more.length > 0) throw error
    return only.id
  }
}

function noReadHead(): HiveError {
  return new HiveError({
    code: "not_found",
    what: "There is nothing at hand to look at.",
    why: "The read-head points at no plan, phase or task yet.",
    use_instead: "Give an id that a tool or the state has shown, or the stamp of a session.",
    evidence: "read-head: empty",
  })
}

function notFound(given: string): HiveError {
  const isStamp = STAMP.test(given)
  return new HiveError({
    code: "not_found",
    what: `There is no ${isStamp ? "session with the stamp" : "record"} ${given}.`,
    why: isStamp
      ? "A stamp is looked up among the sessions."
      : "Neither the graph nor the archive has this id.",
    use_instead: isStamp
      ? "trace finds everything that carries a stamp."
      : "Use an id that a tool or the state has shown.",
    evidence: given,
  })
}

// Never the start of an id: an id has a dash after eight characters.
const STAMP = /^\d{10,12}(-\d+)?$/
