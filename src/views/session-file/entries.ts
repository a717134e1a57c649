import type { Entry } from "../../schemas/entry.ts"
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

/** Reads every entry that concerns a session, oldest first: once from its beginning, then only what is new. */
export function createEntryReader() {
  const known = new Map<string, Entry[]>()

  return async (store: Store, session: Session): Promise<Entry[]> => {
    const entries = known.get(session.id) ?? []
    // A little earlier than the last one known: another process's clock may be behind.
    const since = isoBefore(entries.at(-1)?.at ?? session.created_at, CLOCK_SLACK_MS)
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

function isoBefore(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString()
}

const MAX_SESSIONS = 50
const CLOCK_SLACK_MS = 60_000
