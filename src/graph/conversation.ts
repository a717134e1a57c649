import type { Session } from "../schemas/session.ts"
import type { GraphState } from "./state.ts"

type Find = (hostId: string) => Session | undefined

/** Follows `next` from a session and returns the sessions on the way, nearest first. Stops at a circle. */
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

/** The sessions that this one continues, nearest first. `until`: when the session that continues each was created. */
export function earlierSessions(find: Find, session: string): { session: string; until: string }[] {
  const earlier = sessionsFrom(find, session, (at) => at?.continues)
  const later = [session, ...earlier]
  return earlier.map((each, n) => ({ session: each, until: find(later[n] ?? "")?.created_at ?? "" }))
}

export function laterSessions(find: Find, session: string): string[] {
  return sessionsFrom(find, session, (at) => at?.continued_in)
}

/** The session itself, or for a subagent's session the one that the user talks to. */
export function topSession(find: Find, session: string): string {
  return sessionsFrom(find, session, (at) => at?.parent_host_id).at(-1) ?? session
}

/** The first session of the conversation, found through `parent_host_id` and `continues`. */
export function firstSession(find: Find, session: string): string {
  return sessionsFrom(find, session, (at) => at?.parent_host_id ?? at?.continues).at(-1) ?? session
}

export function familyOf(state: GraphState, session: string): Set<string> {
  const family = new Set([session])
  for (const each of family) for (const { host_id } of state.session.by("parent", each)) family.add(host_id)
  return family
}

// Limits the walk through damaged records, so that a turn cannot hang.
const MAX_SESSIONS = 1000
