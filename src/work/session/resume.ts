import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Session } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { callText } from "../../shared/tool-names.ts"
import { ensureSession } from "./start.ts"

/**
 * Continues another session with its intent and read-head: the given one (id, host id or stamp), or the last one before
 * this.
 */
export async function resumeSession(
  hive: Hive,
  caller: Caller & { session: string },
  wanted?: string,
): Promise<Session> {
  const now = hive.source.now()
  const at = new Date(now).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const own = sessionIdOf(caller.session)
    let from: Session | undefined
    for (const each of tx.all("session")) {
      const isCandidate = wanted === undefined ? each.id !== own : isNamed(each, wanted)
      if (isCandidate && (from === undefined || isLater(each, from))) from = each
    }
    if (from === undefined) throw nothingToResume(wanted)
    const intent = from.intent ?? "Resumed work"
    const session = ensureSession(tx, caller, now, intent)
    tx.set("session", session.id, {
      intent,
      mode: from.mode,
      status: "active",
      closed_at: null,
      updated_at: at,
    })
    const place = tx.get("trajectory", headIdOf(from.host_id))
    if (place !== undefined) {
      const { active_plan_id, active_phase_id, active_task_ids, intent_about } = place
      const to = { active_plan_id, active_phase_id, active_task_ids, intent_about }
      tx.set("trajectory", headIdOf(caller.session), {
        ...to,
        intent: place.intent ?? intent,
        updated_at: at,
      })
    }
    return from
  })
  return result
}

function isLater(a: Session, b: Session): boolean {
  return a.updated_at === b.updated_at ? a.id > b.id : a.updated_at > b.updated_at
}

function isNamed(session: Session, wanted: string): boolean {
  return session.id === wanted || session.host_id === wanted || session.stamp === wanted
}

function nothingToResume(wanted: string | undefined): HiveError {
  return new HiveError({
    code: "not_found",
    what: "There is no such session to resume.",
    why:
      wanted === undefined ? "This is the first session of the project." : `No session is called ${wanted}.`,
    use_instead: `Start a new one: ${callText("session", "start")}.`,
    evidence: wanted ?? "no earlier session",
  })
}
