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

/** The session that the user talks to: a subagent's belongs to the one that started it. */
export function topSession(find: Find, session: string): string {
  const seen = new Set([session])
  for (let top = session; ; ) {
    const above = find(top)?.parent_host_id ?? null
    if (above === null || seen.has(above) || seen.size > MAX_SESSIONS) return top
    seen.add(above)
    top = above
  }
}

/** The first of the sessions whose work went on in this one, subagents included. */
export function firstSession(find: Find, session: string): string {
  const seen = new Set([session])
  for (let first = session; ; ) {
    const at = find(first)
    const before = at?.parent_host_id ?? at?.continues ?? null
    if (before === null || seen.has(before) || seen.size > MAX_SESSIONS) return first
    seen.add(before)
    first = before
  }
}

// A hand-edited file could name any number; nobody fills so many windows with one piece of work.
const MAX_SESSIONS = 1000
