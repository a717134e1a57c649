import { isCompaction, isOutsideEdit } from "../../graph/metrics.ts"
import { headIdOf, headOf } from "../../graph/read-head.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isAddOf, isSetOf, type Op } from "../../schemas/op.ts"
import type { Kind, RecordOf } from "../../schemas/records.ts"
import type { Session, Trajectory } from "../../schemas/session.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import { describeEntry } from "./describe-entry.ts"
import { concernsSession } from "./entries.ts"
import { type Line, withoutMarks } from "./marks.ts"

/** What lies between two compactions of a session: one file. */
export interface Part {
  /** The session's plan, phase and tasks when the part began, by name. */
  chain: string[]
  /** Its goal then; if it had none yet, the first it got. */
  goal: Goal
  lines: LogLine[]
}

type Goal = Pick<Session, "intent" | "mode">

export interface LogLine extends Line {
  at: string
  /** The text without the time of day. */
  words: string
  /** It says that the file was changed from outside. */
  isChangeNotice: boolean
}

/**
 * The log of a session in its parts, oldest first; the last one is in use. It follows from the entries alone, so a lost
 * file can be written again. `entries` may include those of other sessions.
 */
export function sessionParts(entries: Iterable<Entry>, state: GraphState, session: Session): Part[] {
  const names = recordNames(state)
  const head = followRecord("trajectory", headIdOf(session.host_id))
  const own = followRecord("session", session.id)
  const parts: Part[] = [{ chain: [], goal: NO_GOAL, lines: [] }]
  for (const entry of entries) {
    for (const op of entry.ops) {
      head.follow(op)
      own.follow(op)
      names.follow(op)
    }
    const part = parts.at(-1)
    if (part?.goal.intent === null) part.goal = goalOf(own.now(), session)
    if (!concernsSession(entry, session)) continue
    const phrases = [describeEntry(entry, names, session)]
    if (entry.ops.some((op) => isCompaction(op, session.host_id))) {
      phrases.push(`compacted; before this: archive/compacted, part ${parts.length}`)
      parts.push({ chain: chainNames(head.now(), names), goal: goalOf(own.now(), session), lines: [] })
    }
    const isChangeNotice = entry.ops.some((op) => isOutsideEdit(op, session.host_id))
    if (isChangeNotice)
      phrases.push("found the session file changed by somebody else; nothing of that was touched")
    // Entries of before secrets were masked may hold some; a mark counts what is written.
    const told = maskSecrets(shorten(phrases.filter((phrase) => phrase !== "").join("; "), MAX_LINE))
    const words = withoutMarks(told)
    if (words === "") continue
    const text = `${clock(entry.at, session)} ${words}`
    parts.at(-1)?.lines.push({ id: entry.id, text, at: entry.at, words, isChangeNotice })
  }
  const [first] = parts
  if (first !== undefined) first.chain = chainNames(head.start() ?? headOf(state, session.host_id), names)
  if (first !== undefined && own.start() === undefined) first.goal = session
  return parts
}

/** A record as it was created, and as it is after the entries read so far. */
function followRecord<K extends Kind>(kind: K, id: string) {
  let start: RecordOf<K> | undefined
  let now: Partial<RecordOf<K>> = {}
  return {
    follow(op: Op): void {
      if (isAddOf(op, kind) && op.record.id === id) now = start = op.record
      if (isSetOf(op, kind) && op.id === id) now = { ...now, ...op.to }
    },
    start: () => start,
    now: () => now,
  }
}

function goalOf({ intent = null, mode }: Partial<Session>, session: Session): Goal {
  return { intent, mode: mode ?? session.mode }
}

function chainNames(head: Partial<Trajectory> | undefined, names: RecordNames): string[] {
  const { active_plan_id, active_phase_id, active_task_ids = [] } = head ?? {}
  return [active_plan_id, active_phase_id, ...active_task_ids].flatMap((id) =>
    id == null ? [] : [withoutMarks(names.nameOfAny(id) ?? id)],
  )
}

/** The time of day, with the date if it is not that of the session's beginning. */
function clock(at: string, session: Session): string {
  const time = localTime(at).slice(0, "2026-02-11 14:30".length)
  const day = localTime(session.created_at).slice(0, "2026-02-11".length)
  return time.startsWith(day) ? time.slice(day.length + 1) : time
}

const NO_GOAL: Goal = { intent: null, mode: "plan_driven" }
const MAX_LINE = 500
