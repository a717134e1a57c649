import { isCompaction } from "../../graph/marks.ts"
import { headIdOf, headOf } from "../../graph/read-head.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/journal.ts"
import { type Session, sessionMode } from "../../schemas/session.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import { isAbout } from "./entries.ts"
import { type Line, withoutMarks } from "./marks.ts"
import { tellEntry } from "./tell.ts"

/** What lies between two compactions of a session: one file. */
export interface Part {
  /** Where the session stood when the part began, from the plan down. */
  place: string[]
  /** What it was for then; where nobody had said so yet, the first words about it. */
  aim: Aim
  lines: LogLine[]
}

type Aim = Pick<Session, "intent" | "mode">

export interface LogLine extends Line {
  at: string
  /** The words without the time of day. */
  told: string
  /** It says that the file was changed from outside. */
  isNotice: boolean
}

/**
 * The log of a session in its parts, oldest first; the last one is the one in use. It follows from the entries alone,
 * so a file that is lost can be written again. Entries of other sessions may be among them.
 */
export function sessionParts(entries: Iterable<Entry>, state: GraphState, session: Session): Part[] {
  const names = recordNames(state)
  const head = followRecord(headIdOf(session.host_id))
  const own = followRecord(session.id)
  const parts: Part[] = [{ place: [], aim: NO_AIM, lines: [] }]
  for (const entry of entries) {
    for (const op of entry.ops) {
      head.follow(op)
      own.follow(op)
      names.follow(op)
    }
    const part = parts.at(-1)
    if (part?.aim.intent === null) part.aim = aimOf(own.now(), session)
    if (!isAbout(entry, session)) continue
    const phrases = [tellEntry(entry, names, session)]
    if (entry.ops.some((op) => isCompaction(op, session.host_id))) {
      phrases.push(`compacted; before this: archive/compacted, part ${parts.length}`)
      parts.push({ place: placeNames(head.now(), names), aim: aimOf(own.now(), session), lines: [] })
    }
    const isNotice = counts(entry, session, OUTSIDE_EDITS)
    if (isNotice) phrases.push("found the session file changed by somebody else; nothing of that was touched")
    const told = withoutMarks(shorten(phrases.filter((phrase) => phrase !== "").join("; "), MAX_LINE))
    if (told === "") continue
    const text = `${clock(entry.at, session)} ${told}`
    parts.at(-1)?.lines.push({ id: entry.id, text, at: entry.at, told, isNotice })
  }
  const [first] = parts
  if (first !== undefined) first.place = placeNames(head.start() ?? placeIn(state, session), names)
  if (first !== undefined && own.start() === undefined) first.aim = session
  return parts
}

/** The fields of a record, as entries have them. */
type Fields = Record<string, unknown>

/** A record as it was made, and as it is while the entries are read. */
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

function aimOf({ intent, mode }: Fields, session: Session): Aim {
  const known = sessionMode.safeParse(mode)
  return {
    intent: typeof intent === "string" ? intent : null,
    mode: known.success ? known.data : session.mode,
  }
}

function placeIn(state: GraphState, session: Session): Fields {
  return { ...headOf(state, session.host_id) }
}

function placeNames(place: Fields, names: RecordNames): string[] {
  const tasks = Array.isArray(place["active_task_ids"]) ? place["active_task_ids"] : []
  return [place["active_plan_id"], place["active_phase_id"], ...tasks].flatMap((id) =>
    typeof id === "string" ? [withoutMarks(names.nameOfAny(id) ?? id)] : [],
  )
}

function counts(entry: Entry, session: Session, name: string): boolean {
  return entry.ops.some(
    (op) => op.op === "count" && op.session === session.host_id && op.name === name && op.by > 0,
  )
}

/** The time of day, with the day where it is not the one the session began on. */
function clock(at: string, session: Session): string {
  const time = localTime(at).slice(0, "2026-02-11 14:30".length)
  const day = localTime(session.created_at).slice(0, "2026-02-11".length)
  return time.startsWith(day) ? time.slice(day.length + 1) : time
}

const NO_AIM: Aim = { intent: null, mode: "plan_driven" }
export const OUTSIDE_EDITS = "outside_edits"
const MAX_LINE = 500
