import { isCompaction, isOutsideEdit } from "../../graph/metrics.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Session } from "../../schemas/session.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import type { Store } from "../../store/store.ts"
import { createsSession, sessionLine } from "../log/narrative.ts"
import { type Line, withoutMarks } from "./template.ts"

export interface LogLine extends Line {
  at: string
  /** The text of the line without the time. */
  words: string
  isChangeNotice: boolean
}

/** The lines of a session's log, oldest first. They come only from the log, so that a lost file can be written again. */
export function sessionLines(entries: Iterable<Entry>, state: GraphState, session: Session): LogLine[] {
  const names = recordNames(state)
  const lines: LogLine[] = []
  for (const entry of entries) {
    for (const op of entry.ops) names.follow(op)
    if (!concernsSession(entry, session)) continue
    const phrases = [sessionLine(entry, names, session)]
    if (entry.ops.some((op) => isCompaction(op, session.host_id))) phrases.push("compacted")
    const isChangeNotice = entry.ops.some((op) => isOutsideEdit(op, session.host_id))
    if (isChangeNotice) phrases.push("found an outside edit of the session file; it was kept")
    // Old entries may contain secrets, because early versions did not mask them.
    const told = maskSecrets(shorten(phrases.filter((phrase) => phrase !== "").join("; "), MAX_LINE))
    const words = withoutMarks(told)
    if (words === "") continue
    const text = `${timeOfDay(entry.at, session)} ${words}`
    lines.push({ id: entry.id, text, at: entry.at, words, isChangeNotice })
  }
  return lines
}

/** The time of day, preceded by the date if it is not the session's first day. */
function timeOfDay(at: string, session: Session): string {
  const time = localTime(at).slice(0, "2026-02-11 14:30".length)
  const day = localTime(session.created_at).slice(0, "2026-02-11".length)
  return time.startsWith(day) ? time.slice(day.length + 1) : time
}

/** True for entries that the session wrote, and for the entry that created it, which another session may have written. */
function concernsSession(entry: Entry, session: Session): boolean {
  return entry.by.session === session.host_id || entry.ops.some((op) => createsSession(op, session))
}

/** Returns a function that reads all entries of a session, oldest first. Later calls read only new entries from disk. */
export function createEntryReader() {
  const known = new Map<string, Entry[]>()

  return async (store: Store, session: Session): Promise<Entry[]> => {
    const entries = known.get(session.id) ?? []
    // Reads again from a minute before the last entry, because another process's clock may be behind.
    const last = Date.parse(entries.at(-1)?.at ?? session.created_at)
    const since = new Date(last - CLOCK_SLACK_MS).toISOString()
    const ids = new Set(entries.map(({ id }) => id))
    const read = await store.log({ since, naming: session.host_id })
    entries.push(...read.filter((entry) => concernsSession(entry, session) && !ids.has(entry.id)))
    known.delete(session.id)
    known.set(session.id, entries)
    const [oldest] = known.keys()
    if (known.size > MAX_SESSIONS && oldest !== undefined) known.delete(oldest)
    return entries
  }
}

const MAX_LINE = 500
const MAX_SESSIONS = 50
const CLOCK_SLACK_MS = 60_000
