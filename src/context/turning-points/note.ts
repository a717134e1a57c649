import { familyOf } from "../../graph/family.ts"
import { isCompaction } from "../../graph/marks.ts"
import { type Lookup, lookupIn } from "../../graph/obstacles.ts"
import { sessionIdOf, sessionOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/journal.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { isForReport } from "../../work/delegation/report-task.ts"
import { findTurns, mostTelling } from "./find.ts"
import { finder, standingOf } from "./standing.ts"

/**
 * Looks through what a session did since its last compaction and keeps the turning points in its record. Reads the
 * whole log, so it is for moments that take long anyway.
 */
export async function noteTurningPoints(hive: Hive, caller: Caller & { session: string }): Promise<void> {
  const { store, source } = hive
  const { state } = store.read()
  // Nothing is known of a session that never touched the graph.
  if (sessionOf(state, caller.session) === undefined) return
  const family = familyOf(state, caller.session)
  // Whoever wrote a report did nothing of the work itself.
  for (const each of state.delegation.values())
    if (isForReport(state, each)) family.delete(each.child_session_id ?? "")
  const own = sinceCompaction(store.log(), caller.session).filter(({ by }) => family.has(by.session ?? ""))
  const turns = findTurns(own, caller.session)
  const archived = store.archived()
  const at = new Date(source.now()).toISOString()
  await store.write(authorOf(caller), (tx) => {
    const id = sessionIdOf(caller.session)
    const { turning_points: before } = tx.need("session", id)
    const find = finder((kind, each) => tx.get(kind, each), archived)
    const turning_points = mostTelling([...before, ...turns], find, MAX_POINTS)
    if (JSON.stringify(turning_points) === JSON.stringify(before)) return
    tx.set("session", id, { turning_points, updated_at: at })
  })
}

/**
 * Lets go of turning points that were taken back since they were found. Before the fold of a turn's end: what is
 * superseded leaves for the archive then, and the packed state does not look there.
 */
export async function reviewTurningPoints(hive: Hive, caller: Caller & { session: string }): Promise<void> {
  const { store, source } = hive
  // The archive is long; it is read only where the graph does not have the record.
  const archive = { get: (id: string) => store.archived().get(id) }
  const stands = (get: Lookup) => {
    const find = finder(get, archive)
    return (point: TurningPoint) => standingOf(point, find) !== undefined
  }
  const { state } = store.read()
  if (sessionOf(state, caller.session)?.turning_points.every(stands(lookupIn(state))) ?? true) return
  const at = new Date(source.now()).toISOString()
  await store.write(authorOf(caller), (tx) => {
    const id = sessionIdOf(caller.session)
    const turning_points = tx
      .need("session", id)
      .turning_points.filter(stands((kind, each) => tx.get(kind, each)))
    tx.set("session", id, { turning_points, updated_at: at })
  })
}

/** The mark of a compaction is the line between before and after. */
function sinceCompaction(log: readonly Entry[], session: string): readonly Entry[] {
  const last = log.findLastIndex(({ ops }) => ops.some((op) => isCompaction(op, session)))
  return log.slice(last + 1)
}

const MAX_POINTS = 12
