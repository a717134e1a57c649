import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Session } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { readableStamp } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import { type Unrecorded, unrecordedSessions } from "../../views/lists/sessions.ts"

/** Finds the host's id of a session, even if the session has no record in the graph. */
export async function findHostId(
  hive: Hive,
  wanted: string,
  state = hive.store.read().state,
): Promise<string> {
  const isRecorded = newestSessions(state).some((session) => isNamed(session, wanted))
  if (!isRecorded && (await findUnrecorded(hive, wanted)) !== undefined) return wanted
  return findSession(state, wanted).host_id
}

export async function findUnrecorded(hive: Hive, wanted: string): Promise<Unrecorded | undefined> {
  return (await unrecordedSessions(hive)).find(({ host_id }) => host_id === wanted)
}

/** Finds the newest session with that id, host id or stamp. The stamp may also be written as `2026-11-16 14:13`. */
export function findSession(state: GraphState, wanted: string): Session {
  const sessions = newestSessions(state)
  const found = sessions.find((session) => isNamed(session, wanted))
  if (found !== undefined) return found
  const some = sessions
    .slice(0, 3)
    .map(({ stamp, intent }) => `${readableStamp(stamp)} (${shorten(intent ?? "no intent yet", 40)})`)
  throw new HiveError({
    code: "not_found",
    what: `There is no session ${wanted}.`,
    why: "Name a session by its start time, as `hivemind sessions` shows it, or by its id in the agent or in HiveMind.",
    use_instead: some.length === 0 ? "Leave `--session` out." : `The newest ones: ${some.join(", ")}.`,
    evidence: `--session ${wanted}`,
  })
}

export function noSessionYet(what: string, evidence: string): HiveError {
  const why = "No session has been active in this project yet."
  return new HiveError({ code: "not_found", what, why, use_instead: START_SESSION, evidence })
}

const START_SESSION = "Start a session in OpenCode first."

function isNamed({ id, host_id, stamp }: Session, wanted: string): boolean {
  return [id, host_id, stamp, readableStamp(stamp)].includes(wanted)
}

export function newestSessions(state: GraphState): Session[] {
  return [...state.session.values()].sort(
    (a, b) => b.updated_at.localeCompare(a.updated_at) || b.id.localeCompare(a.id),
  )
}
