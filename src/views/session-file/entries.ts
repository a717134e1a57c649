import type { Entry } from "../../schemas/journal.ts"
import type { Session } from "../../schemas/session.ts"
import type { Store } from "../../store/store.ts"

/** The entries that a session's log is about: what it wrote, and what made it; a subagent may have been quicker with that. */
export function isAbout(entry: Entry, session: Session): boolean {
  return entry.by.session === session.host_id || entry.ops.some((op) => makes(op, session))
}

/** True of the op that put the session on record. */
export function makes(op: Entry["ops"][number], { id }: Session): boolean {
  return op.op === "add" && op.kind === "session" && op.record["id"] === id
}

/** Every entry about a session, oldest first. The history is read once for each; from then on, what is not in it yet is enough. */
export function sessionEntries() {
  const known = new Map<string, { entries: Entry[]; newest: string | undefined }>()

  return (store: Store, session: Session): Entry[] => {
    const recent = store.log("recent")
    const before = known.get(session.id)
    const isEnough = before !== undefined && recent.some(({ id }) => id === before.newest)
    const read = isEnough ? recent : store.log({ since: session.created_at, naming: session.host_id })
    const entries = isEnough ? before.entries : []
    const ids = new Set(entries.map(({ id }) => id))
    entries.push(...read.filter((entry) => isAbout(entry, session) && !ids.has(entry.id)))
    known.delete(session.id)
    known.set(session.id, { entries, newest: recent.at(-1)?.id })
    const [oldest] = known.keys()
    if (known.size > MAX_SESSIONS && oldest !== undefined) known.delete(oldest)
    return entries
  }
}

const MAX_SESSIONS = 50
