import { familyOf } from "../../graph/family.ts"
import { isCompaction } from "../../graph/metrics.ts"
import { type Lookup, lookupIn } from "../../graph/obstacles.ts"
import { sessionIdOf, sessionOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { isForReport } from "../../work/delegation/report-task.ts"
import { findTurns, selectTurningPoints } from "./find.ts"
import { currentStatus, recordFinder } from "./status.ts"

/**
 * Finds the turning points of a session since its last compaction and saves them in its record. Reads the whole log,
 * so it is only for moments that take long anyway.
 */
export async function recordTurningPoints(hive: Hive, caller: Caller & { session: string }): Promise<void> {
  const { store, source } = hive
  const { state } = store.read()
  // A session that never touched the graph has no record.
  if (sessionOf(state, caller.session) === undefined) return
  const family = familyOf(state, caller.session)
  // A researcher that wrote a report did none of the work.
  for (const member of [...family])
    for (const each of state.delegation.by("child", member))
      if (isForReport(state, each)) family.delete(member)
  const since = sessionOf(state, caller.session)?.created_at ?? ""
  const log = await store.log({ since })
  const own = sinceCompaction(log, caller.session).filter(({ by }) => family.has(by.session ?? ""))
  const turns = findTurns(own, caller.session)
  const at = new Date(source.now()).toISOString()
  await store.write(authorOf(caller), (tx) => {
    const id = sessionIdOf(caller.session)
    const { turning_points: before } = tx.need("session", id)
    const find = recordFinder((kind, each) => tx.get(kind, each), store.archive)
    const turning_points = selectTurningPoints([...before, ...turns], find, MAX_POINTS)
    if (JSON.stringify(turning_points) === JSON.stringify(before)) return
    tx.set("session", id, { turning_points, updated_at: at })
  })
}

/**
 * Removes turning points that their records no longer confirm. It runs before the fold at a turn's end: the fold moves
 * superseded mems to the archive, and the packer does not look there.
 */
export async function dropOutdatedTurningPoints(
  hive: Hive,
  caller: Caller & { session: string },
): Promise<void> {
  const { store, source } = hive
  const isConfirmed = (get: Lookup) => {
    const find = recordFinder(get, store.archive)
    return (point: TurningPoint) => currentStatus(point, find) !== undefined
  }
  const { state } = store.read()
  if (sessionOf(state, caller.session)?.turning_points.every(isConfirmed(lookupIn(state))) ?? true) return
  const at = new Date(source.now()).toISOString()
  await store.write(authorOf(caller), (tx) => {
    const id = sessionIdOf(caller.session)
    const turning_points = tx
      .need("session", id)
      .turning_points.filter(isConfirmed((kind, each) => tx.get(kind, each)))
    tx.set("session", id, { turning_points, updated_at: at })
  })
}

/** The op of a compaction is the line between before and after. */
function sinceCompaction(log: readonly Entry[], session: string): readonly Entry[] {
  const last = log.findLastIndex(({ ops }) => ops.some((op) => isCompaction(op, session)))
  return log.slice(last + 1)
}

const MAX_POINTS = 12
