import type { Session } from "../schemas/session.ts"
import type { GraphState } from "./state.ts"

type Find = (hostId: string) => Session | undefined

/** The sessions that one leads to, nearest first, without itself. A circle ends the walk. */
function sessionsFrom(
  find: Find,
  session: string,
  next: (at: Session | undefined) => string | null | undefined,
): string[] {
  const found = new Set([session])
  // A Set also visits the values that are added during the loop.
  for (const each of found) {
    const following = next(find(each)) ?? null
    if (following === null || found.size > MAX_SESSIONS) break
    found.add(following)
  }
  return [...found].slice(1)
}

/**
 * One conversation may be several sessions, each going on where the one before was full: those before, nearest first.
 * `until`: when the next session took the work over. Later work of that session is its own.
 */
export function earlierSessions(find: Find, session: string): { session: string; until: string }[] {
  const earlier = sessionsFrom(find, session, (at) => at?.continues)
  const later = [session, ...earlier]
  return earlier.map((each, n) => ({ session: each, until: find(later[n] ?? "")?.created_at ?? "" }))
}

/** The sessions that have gone on with a session's work, one after the other. */
export function laterSessions(find: Find, session: string): string[] {
  return sessionsFrom(find, session, (at) => at?.continued_in)
}

/** The session that the user talks to: a subagent's belongs to the one that started it. */
export function topSession(find: Find, session: string): string {
  return sessionsFrom(find, session, (at) => at?.parent_host_id).at(-1) ?? session
}

/** The first of the sessions whose work went on in this one, subagents included. */
export function firstSession(find: Find, session: string): string {
  return sessionsFrom(find, session, (at) => at?.parent_host_id ?? at?.continues).at(-1) ?? session
}

/** A session and its subagents at any depth. */
export function familyOf(state: GraphState, session: string): Set<string> {
  const family = new Set([session])
  for (const each of family) for (const { host_id } of state.session.by("parent", each)) family.add(host_id)
  return family
}

// Longer chains are no conversation: they keep a circle or a damaged record from hanging a turn.
const MAX_SESSIONS = 1000
