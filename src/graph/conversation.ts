import type { Session } from "../schemas/session.ts"

type Find = (hostId: string) => Session | undefined

/** A session whose work is also that of another one, up to a moment. */
export interface Earlier {
  session: string
  /** When the other one took it over: what this one did later is its own alone. */
  until: string
}

/** One conversation may be several sessions, each going on where the one before was full: those before, nearest first. */
export function earlierSessions(find: Find, session: string): Earlier[] {
  const earlier: Earlier[] = []
  const seen = new Set([session])
  for (let at = find(session); at !== undefined && earlier.length < MAX_SESSIONS; ) {
    const before = at.continues ?? null
    if (before === null || seen.has(before)) break
    seen.add(before)
    earlier.push({ session: before, until: at.created_at })
    at = find(before)
  }
  return earlier
}

/** Those that have gone on with a session's work, one after the other. */
export function laterSessions(find: Find, session: string): string[] {
  const later: string[] = []
  const seen = new Set([session])
  for (let at = find(session); at !== undefined && later.length < MAX_SESSIONS; ) {
    const next = at.continued_in ?? null
    if (next === null || seen.has(next)) break
    seen.add(next)
    later.push(next)
    at = find(next)
  }
  return later
}

// A hand-edited file could name any number; nobody fills so many windows with one piece of work.
const MAX_SESSIONS = 1000
