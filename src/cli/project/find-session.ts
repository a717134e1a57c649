import type { GraphState } from "../../graph/state.ts"
import type { Session } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { shorten } from "../../shared/text/clean.ts"

/** The session of that stamp, host id or id; the newest where a stamp is that of several. */
export function findSession(state: GraphState, wanted: string): Session {
  const sessions = newestSessions(state)
  const found = sessions.find(({ id, host_id, stamp }) => [id, host_id, stamp].includes(wanted))
  if (found !== undefined) return found
  const some = sessions
    .slice(0, 3)
    .map(({ stamp, intent }) => `${stamp} (${shorten(intent ?? "no intent yet", 40)})`)
  throw new HiveError({
    code: "not_found",
    what: `There is no session ${wanted}.`,
    why: "A session is named by its stamp, OpenCode's id of it, or HiveMind's id.",
    use_instead: some.length === 0 ? "Leave `--session` out." : `The newest ones: ${some.join(", ")}.`,
    evidence: `--session ${wanted}`,
  })
}

export function newestSessions(state: GraphState): Session[] {
  return [...state.session.values()].sort(
    (a, b) => b.updated_at.localeCompare(a.updated_at) || b.id.localeCompare(a.id),
  )
}
