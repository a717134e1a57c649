import { injectedFile, injectedSessions } from "../../context/inject/frozen-injections.ts"
import { driftNow } from "../../context/inject/packed-warnings.ts"
import type { Injection } from "../../context/inject/record.ts"
import { isCompaction } from "../../graph/metrics.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { InjectedText } from "../../schemas/refusal.ts"
import { HiveError } from "../../shared/error.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { injectedTextFile } from "../../store/files/log-file.ts"

export interface Turn extends Injection {
  turn: number
}

export function lastToldSession(hive: Hive): string | null {
  return injectedSessions(hivePaths(hive.home))[0] ?? null
}

/** The turns of a session, oldest first. */
export function turnsOf(hive: Hive, session: string | null): Turn[] {
  const records = session === null ? [] : injectedFile(hivePaths(hive.home), session).read()
  return records.map((record, index) => ({ ...record, turn: index + 1 }))
}

export type Replay = Awaited<ReturnType<typeof replayTurn>>

/** Replays a turn. `wanted` is the number of the turn or the id of its message. */
export async function replayTurn(hive: Hive, session: string, wanted: string) {
  const turns = turnsOf(hive, session)
  const turn = turns.find((each) => String(each.turn) === wanted || each.message === wanted)
  if (turn === undefined) throw noTurn(session, wanted, turns.length)
  const until = turns[turn.turn]?.at ?? null
  const before = turns.slice(0, turn.turn - 1).filter(({ parts }) => parts.length > 0)
  const cut = await lastCompaction(hive, session, turn.at)
  const inSight = before.filter(({ at }) => at > cut)
  return {
    session,
    turn,
    turns: turns.length,
    until,
    // Earlier turns with injected state that were still in the conversation, and the number that a compaction removed.
    in_sight: inSight,
    out_of_sight: before.length - inSight.length,
    // The old tool outputs that had been replaced by short notes.
    removed: turns.slice(0, turn.turn).flatMap(({ pruned }) => pruned),
    told: toldBetween(hive, session, turn.at, until),
  }
}

function toldBetween(hive: Hive, session: string, from: string, until: string | null): InjectedText[] {
  return injectedTextFile(hivePaths(hive.home))
    .read(session)
    .filter(({ at }) => at >= from && (until === null || at < until))
}

async function lastCompaction(hive: Hive, session: string, before: string): Promise<string> {
  const entries = await hive.store.log({ naming: session })
  const last = entries.findLast(({ at, ops }) => at < before && ops.some((op) => isCompaction(op, session)))
  return last?.at ?? ""
}

function noTurn(session: string, wanted: string, turns: number): HiveError {
  return new HiveError({
    code: "not_found",
    what: `Session ${session} has no turn ${wanted}.`,
    why: turns === 0 ? "Nothing has been sent to the session's model yet." : `It has turns 1 to ${turns}.`,
    use_instead: "`hivemind context` shows the turns with their numbers; `--session` names another session.",
    evidence: wanted,
  })
}

export type DriftBegan = Awaited<ReturnType<typeof findDriftBegin>>

/** Finds the turn in which the current or last drift began: the one before the message at which it was first measured. */
export async function findDriftBegin(hive: Hive, session: string) {
  const points = driftPoints(hive, session)
  const last = points.findLastIndex(({ score }) => score > 0)
  const point = points[startOfDrift(points, last)]
  if (point === undefined) return { session, points, began: null }
  const before = points[points.indexOf(point) - 1]
  const at = before?.at ?? sessionOf(hive.store.read().state, session)?.created_at ?? point.at
  const entries = await hive.store.log({ since: at, naming: session })
  return {
    session,
    points,
    began: {
      // Null if the session drifted before its first message.
      turn: before?.turn ?? null,
      at,
      until: point.at,
      score: point.score,
      signals: point.signals.filter((name) => !before?.signals.includes(name)),
      calls: callsBetween(before, point),
      // The signals as sentences with their values.
      found: point.found ?? [],
      isOver: last < points.length - 1,
      entries: entries.filter(
        (entry) => entry.by.session === session && entry.at >= at && entry.at < point.at,
      ),
      told: toldBetween(hive, session, at, point.at),
    },
  }
}

function callsBetween(before: DriftPoint | undefined, { calls }: DriftPoint) {
  const earlier = before === undefined ? { all: 0, failed: 0 } : before.calls
  if (calls === undefined || earlier === undefined) return null
  return { all: calls.all - earlier.all, failed: calls.failed - earlier.failed }
}

function startOfDrift(points: readonly DriftPoint[], last: number): number {
  let rise = last
  while (rise > 0 && (points[rise - 1]?.score ?? 0) > 0) rise--
  return rise
}

type DriftPoint = ReturnType<typeof driftPoints>[number]

/** The drift at each message, and now: then `turn` is null. */
function driftPoints(hive: Hive, session: string) {
  const now = new Date(hive.source.now()).toISOString()
  return [
    ...turnsOf(hive, session).flatMap(({ turn, at, drift }) => (drift ? [{ turn, at, ...drift }] : [])),
    { turn: null, at: now, ...driftNow(hive, hive.store.read().state, session) },
  ]
}
