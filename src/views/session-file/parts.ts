import { isCompaction } from "../../graph/marks.ts"
import { headIdOf, headOf } from "../../graph/read-head.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/journal.ts"
import { type Session, sessionMode } from "../../schemas/session.ts"
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
  const head = followRecord(headIdOf(session.host_id))
  const own = followRecord(session.id)
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
    const isChangeNotice = counts(entry, session, OUTSIDE_EDITS)
    if (isChangeNotice)
      phrases.push("found the session file changed by somebody else; nothing of that was touched")
    const words = withoutMarks(shorten(phrases.filter((phrase) => phrase !== "").join("; "), MAX_LINE))
    if (words === "") continue
    const text = `${clock(entry.at, session)} ${words}`
    parts.at(-1)?.lines.push({ id: entry.id, text, at: entry.at, words, isChangeNotice })
  }
  const [first] = parts
  if (first !== undefined)
    first.chain = chainNames(head.start() ?? { ...headOf(state, session.host_id) }, names)
  if (first !== undefined && own.start() === undefined) first.goal = session
  return parts
}

/** The fields of a record, as entries have them. */
type Fields = Record<string, unknown>

/** A record as it was created, and as it is after the entries read so far. */
function followRecord(id: string) {
  let start: Fields | undefined
  let now: Fields = {}
  return {
    follow(op: Entry["ops"][number]): void {
      if (op.op === "add" && op.record["id"] === id) now = start = op.record
      if (op.op === "set" && op.id === id) now = { ...now, ...op.to }
    },
    start: () => start,
    now: () => now,
  }
}

function goalOf({ intent, mode }: Fields, session: Session): Goal {
  const known = sessionMode.safeParse(mode)
  return {
    intent: typeof intent === "string" ? intent : null,
    mode: known.success ? known.data : session.mode,
  }
}

function chainNames(head: Fields, names: RecordNames): string[] {
  const tasks = Array.isArray(head["active_task_ids"]) ? head["active_task_ids"] : []
  return [head["active_plan_id"], head["active_phase_id"], ...tasks].flatMap((id) =>
    typeof id === "string" ? [withoutMarks(names.nameOfAny(id) ?? id)] : [],
  )
}

function counts(entry: Entry, session: Session, name: string): boolean {
  return entry.ops.some(
    (op) => op.op === "count" && op.session === session.host_id && op.name === name && op.by > 0,
  )
}

/** The time of day, with the date if it is not that of the session's beginning. */
function clock(at: string, session: Session): string {
  const time = localTime(at).slice(0, "2026-02-11 14:30".length)
  const day = localTime(session.created_at).slice(0, "2026-02-11".length)
  return time.startsWith(day) ? time.slice(day.length + 1) : time
}

const NO_GOAL: Goal = { intent: null, mode: "plan_driven" }
export const OUTSIDE_EDITS = "outside_edits"
const MAX_LINE = 500
