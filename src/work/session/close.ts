import { isActiveSession } from "../../graph/lifecycle.ts"
import { sessionIdOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Session } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { callText } from "../../shared/tool-names.ts"
import { endUnplannedOf } from "./unplanned-end.ts"

/** Closes the caller's session. Its read-head is kept for whoever resumes it. */
export async function closeSession(
  hive: Hive,
  caller: Caller & { session: string },
  summary?: string,
): Promise<Session> {
  const now = hive.source.now()
  const at = new Date(now).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const id = sessionIdOf(caller.session)
    const session = tx.get("session", id)
    if (session === undefined || !isActiveSession(session)) throw notOpen(caller.session)
    tx.set("session", id, {
      status: "closed",
      summary: summary ?? session.summary,
      closed_at: at,
      updated_at: at,
    })
    endUnplannedOf(tx, caller.session, "the session was closed", now)
    return tx.need("session", id)
  })
  return result
}

function notOpen(hostId: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: "There is no open session to close.",
    why: "This session was never started, or is closed already.",
    use_instead: `Start one: ${callText("session", "start")}.`,
    evidence: hostId,
  })
}
