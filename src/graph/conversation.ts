import type { Session } from "../schemas/session.ts"
import type { GraphState } from "./state.ts"

type Find = (hostId: string) => Session | undefined

/** Follows `next` from session to session, and returns those found, nearest first. Stops if the links form a circle. */
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

/** The sessions that this one continues, nearest first. `until` is when the following session was created. */
export function earlierSessions(find: Find, session: string): { session: string; until: string }[] {
  const earlier = sessionsFrom(find, session, (at) => at?.continues)
  const later = [session, ...earlier]
  return earlier.map((each, n) => ({ session: each, until: find(later[n] ?? "")?.created_at ?? "" }))
}

export function laterSessions(find: Find, session: string): string[] {
  return sessionsFrom(find, session, (at) => at?.continued_in)
}

/** For a subagent's session, returns the session that the user talks to; else the session itself. */
export function topSession(find: Find, session: string): string {
  return sessionsFrom(find, session, (at) => at?.parent_host_id).at(-1) ?? session
}

/** Returns the conversation's first session, which is found through `parent_host_id` and `continues`. */
export function firstSession(find: Find, session: string): string {
  return sessionsFrom(find, session, (at) => at?.parent_host_id ?? at?.continues).at(-1) ?? session
}

export function familyOf(state: GraphState, session: string): Set<string> {
  const family = new Set([session])
  for (const each of family) for (const { host_id } of state.session.by("parent", each)) family.add(host_id)
  return family
}

// Damaged records may form endless chains, which must not block a turn.
const MAX_SESSIONS = 1000
