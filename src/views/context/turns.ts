import { injectedFile, lastInjectedSession } from "../../context/inject/frozen-injections.ts"
import { driftNow } from "../../context/inject/packed-warnings.ts"
import type { Injection } from "../../context/inject/record.ts"
import { isCompaction } from "../../graph/metrics.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { InjectedText } from "../../schemas/refusal.ts"
import { HiveError } from "../../shared/error.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { injectedTextFile } from "../../store/files/log-file.ts"

/** A message of the user and what HiveMind injected into it. */
export interface Turn extends Injection {
  /** Starts at 1. */
  turn: number
}

/** The session with the last injected message. */
export function lastToldSession(hive: Hive): string | null {
  return lastInjectedSession(hivePaths(hive.home)) ?? null
}

/** Oldest first. */
export function turnsOf(hive: Hive, session: string | null): Turn[] {
  const records = session === null ? [] : injectedFile(hivePaths(hive.home), session).read()
  return records.map((record, index) => ({ ...record, turn: index + 1 }))
}

/** Everything HiveMind sent the model on one turn. */
export interface Replay {
  session: string
  turn: Turn
  turns: number
  /** Time of the next message; null for the last turn. */
  until: string | null
  /** Earlier turns with injected state that were still in the conversation. */
  in_sight: Turn[]
  /** Number of earlier turns that a compaction had removed. */
  out_of_sight: number
  /** Old tool output that was pruned by then. */
  removed: { call: string; text: string }[]
  /** Sent within the turn: replies, notes, warnings, refusals, compaction prompts. */
  told: InjectedText[]
}

/** `wanted`: the number of a turn or the id of its message. */
export async function replayTurn(hive: Hive, session: string, wanted: string): Promise<Replay> {
  const turns = turnsOf(hive, session)
  const turn = turns.find((each) => String(each.turn) === wanted || each.message === wanted)
  if (turn === undefined) throw noTurn(session, wanted, turns.length)
  const next = turns[turn.turn]
  const until = next?.at ?? null
  const before = turns.slice(0, turn.turn - 1).filter(({ parts }) => parts.length > 0)
  const cut = await lastCompaction(hive, session, turn.at)
  const inSight = before.filter(({ at }) => at > cut)
  return {
    session,
    turn,
    turns: turns.length,
    until,
    in_sight: inSight,
    out_of_sight: before.length - inSight.length,
    removed: turns.slice(0, turn.turn).flatMap(({ pruned }) => pruned),
    told: toldBetween(hive, session, turn.at, until),
  }
}

function toldBetween(hive: Hive, session: string, from: string, until: string | null): InjectedText[] {
  return injectedTextFile(hivePaths(hive.home))
    .read(session)
    .filter(({ at }) => at >= from && (until === null || at < until))
}

/** Time of the last compaction before that moment, or "". */
async function lastCompaction(hive: Hive, session: string, before: string): Promise<string> {
  const entries = await hive.store.log({ naming: session })
  const last = entries.findLast(({ at, ops }) => at < before && ops.some((op) => isCompaction(op, session)))
  return last?.at ?? ""
}

function noTurn(session: string, wanted: string, turns: number): HiveError {
  return new HiveError({
    code: "not_found",
    what: `Session ${session} has no turn ${wanted}.`,
    why: turns === 0 ? "HiveMind has sent its model nothing." : `It has turns 1 to ${turns}.`,
    use_instead: "`hivemind context` shows the turns with their numbers; `--session` names another session.",
    evidence: wanted,
  })
}

/** The drift score when a message came, or now. */
interface DriftPoint {
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
  /** Null if the session never drifted. */
  began: {
    /** Null if it drifted before the first message. */
    turn: number | null
    at: string
    until: string
    score: number
    /** Signals that were new. */
    signals: string[]
    /** The session no longer drifts. */
    isOver: boolean
    /** Calls in that turn; null if unknown. */
    calls: { all: number; failed: number } | null
    /** The signals at its end, with their values, in words. */
    found: string[]
    entries: Entry[]
    told: InjectedText[]
  } | null
}

/**
 * Finds the turn where a session's drift began: the present drift, else the last one. Drift is measured when a message
 * comes, so it happened in the turn before.
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

/** The first of the drifting points in a row that end at `last`. */
function riseBefore(points: readonly DriftPoint[], last: number): number {
  let rise = last
  while (rise > 0 && (points[rise - 1]?.score ?? 0) > 0) rise--
  return rise
}

function pointOf({ turn, at, drift }: Turn): DriftPoint[] {
  return drift === undefined ? [] : [{ turn, at, ...drift }]
}

function nowPoint(hive: Hive, session: string): DriftPoint {
  const at = new Date(hive.source.now()).toISOString()
  return { turn: null, at, ...driftNow(hive, hive.store.read().state, session) }
}
