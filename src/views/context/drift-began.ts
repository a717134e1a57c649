import { driftNow } from "../../context/inject/drift-now.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Told } from "../../schemas/told.ts"
import { toldBetween } from "./replay.ts"
import { type Turn, turnsOf } from "./turns.ts"

/** How far the session was off its course when a message came; the last one is now. */
interface DriftPoint {
  /** Null for now. */
  turn: number | null
  at: string
  score: number
  signals: string[]
  found?: string[] | undefined
  calls?: { all: number; failed: number } | undefined
}

export interface DriftBegan {
  session: string
  points: DriftPoint[]
  /** Null where the session has never left its course. */
  began: {
    /** In which turn it happened; null where it was so before the first message. */
    turn: number | null
    at: string
    until: string
    score: number
    /** The patterns that were new. */
    signals: string[]
    /** It has found back since. */
    isOver: boolean
    /** Its calls in that turn; null where an older version has not kept that. */
    calls: { all: number; failed: number } | null
    /** The patterns at its end with their figures, in words. */
    found: string[]
    /** What the session wrote in that turn. */
    entries: Entry[]
    /** What its model was told in it. */
    told: Told[]
  } | null
}

/**
 * The turn where a session's drift began: that of now, else the last one that there was. It is measured when a message
 * comes, so what a message finds has happened in the turn before it.
 */
export async function findDriftBegin(hive: Hive, session: string): Promise<DriftBegan> {
  const turns = turnsOf(hive, session)
  const points = [...turns.flatMap(pointOf), nowPoint(hive, session)]
  const last = points.findLastIndex(({ score }) => score > 0)
  const point = points[riseBefore(points, last)]
  if (point === undefined) return { session, points, began: null }
  const before = points[points.indexOf(point) - 1]
  const at = before?.at ?? sessionOf(hive.store.read().state, session)?.created_at ?? point.at
  const entries = await hive.store.log({ since: at, naming: session })
  return {
    session,
    points,
    began: {
      turn: before?.turn ?? null,
      at,
      until: point.at,
      score: point.score,
      signals: point.signals.filter((name) => !before?.signals.includes(name)),
      calls: callsBetween(before, point),
      found: point.found ?? [],
      isOver: last < points.length - 1,
      entries: entries.filter(
        (entry) => entry.by.session === session && entry.at >= at && entry.at < point.at,
      ),
      told: toldBetween(hive, session, at, point.at),
    },
  }
}

function callsBetween(
  before: DriftPoint | undefined,
  { calls }: DriftPoint,
): { all: number; failed: number } | null {
  const earlier = before === undefined ? { all: 0, failed: 0 } : before.calls
  if (calls === undefined || earlier === undefined) return null
  return { all: calls.all - earlier.all, failed: calls.failed - earlier.failed }
}

/** The first of the row of points off course that ends there. */
function riseBefore(points: readonly DriftPoint[], last: number): number {
  let rise = last
  while (rise > 0 && (points[rise - 1]?.score ?? 0) > 0) rise--
  return rise
}

/** Of a message that an older version decided on, nothing is known. */
function pointOf({ turn, at, drift }: Turn): DriftPoint[] {
  return drift === undefined ? [] : [{ turn, at, ...drift }]
}

function nowPoint(hive: Hive, session: string): DriftPoint {
  const at = new Date(hive.source.now()).toISOString()
  return { turn: null, at, ...driftNow(hive, hive.store.read().state, session) }
}
