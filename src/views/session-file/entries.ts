import type { Entry } from "../../schemas/journal.ts"
import { isAddOf, type Op } from "../../schemas/op.ts"
import type { Session } from "../../schemas/session.ts"
import type { Store } from "../../store/store.ts"

/** True for entries that the session wrote, and for the one that created it, which a subagent may have written. */
export function concernsSession(entry: Entry, session: Session): boolean {
  return entry.by.session === session.host_id || entry.ops.some((op) => createsSession(op, session))
}

export function createsSession(op: Op, { id }: Session): boolean {
  return isAddOf(op, "session") && op.record.id === id
}

/** Reads every entry that concerns a session, oldest first. The history is read once per session, then only the journal. */
export function createEntryReader() {
  const known = new Map<string, { entries: Entry[]; newest: string | undefined }>()

  return (store: Store, session: Session): Entry[] => {
    const recent = store.log("recent")
    const before = known.get(session.id)
    const isRecentEnough = before !== undefined && recent.some(({ id }) => id === before.newest)
    const read = isRecentEnough ? recent : store.log({ since: session.created_at, naming: session.host_id })
    const entries = isRecentEnough ? before.entries : []
    const ids = new Set(entries.map(({ id }) => id))
    entries.push(...read.filter((entry) => concernsSession(entry, session) && !ids.has(entry.id)))
    known.delete(session.id)
    known.set(session.id, { entries, newest: recent.at(-1)?.id })
    const [oldest] = known.keys()
    if (known.size > MAX_SESSIONS && oldest !== undefined) known.delete(oldest)
    return entries
  }
}

const MAX_SESSIONS = 50
