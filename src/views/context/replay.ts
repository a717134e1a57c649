import { isCompaction } from "../../graph/metrics.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Told } from "../../schemas/told.ts"
import { HiveError } from "../../shared/error.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { toldFile } from "../../store/files/told-file.ts"
import { type Turn, turnsOf } from "./turns.ts"

/** All that the model saw of us on one turn, beside what every request carries. */
export interface Replay {
  session: string
  /** With the words that its message carried. */
  turn: Turn
  turns: number
  /** When the next message came; null for the last turn. */
  until: string | null
  /** Messages of earlier turns that carried something and were still in the conversation. */
  in_sight: Turn[]
  /** How many a compaction had taken out of it. */
  out_of_sight: number
  /** Old tool output that was a short text by then. */
  removed: { call: string; text: string }[]
  /** Within the turn, in order: replies, notes, warnings, refusals, what a compaction was asked. */
  told: Told[]
}

/** `wanted`: the number of a turn, or the id of its message. */
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

/** What a session's model was told from one moment up to another. */
export function toldBetween(hive: Hive, session: string, from: string, until: string | null): Told[] {
  return toldFile(hivePaths(hive.home))
    .read(session)
    .filter(({ at }) => at >= from && (until === null || at < until))
}

/** When the host last replaced the conversation by a summary before that moment; "" where it never did. */
async function lastCompaction(hive: Hive, session: string, before: string): Promise<string> {
  const entries = await hive.store.log({ naming: session })
  const last = entries.findLast(({ at, ops }) => at < before && ops.some((op) => isCompaction(op, session)))
  return last?.at ?? ""
}

function noTurn(session: string, wanted: string, turns: number): HiveError {
  return new HiveError({
    code: "not_found",
    what: `Session ${session} has no turn ${wanted}.`,
    why: turns === 0 ? "Its model was told nothing." : `It has turns 1 to ${turns}.`,
    use_instead: "`hivemind context` shows the turns with their numbers; `--session` names another session.",
    evidence: wanted,
  })
}
