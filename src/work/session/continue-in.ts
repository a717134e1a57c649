import { laterSessions } from "../../graph/conversation.ts"
import { ALL } from "../../graph/indexes.ts"
import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Session } from "../../schemas/session.ts"
import { ensureSession } from "./start.ts"

/**
 * Another session goes on with all that this one has: intent, place in the plans, the tasks it holds with their file
 * locks, and what it has handed on. One write: it is all there, or nothing has moved.
 */
export async function continueIn(
  hive: Hive,
  caller: Caller & { session: string },
  next: string,
): Promise<void> {
  const now = hive.source.now()
  const at = new Date(now).toISOString()
  await hive.store.write(authorOf(caller), (tx) => {
    const old = ensureSession(tx, caller, now, null)
    // Two processes may have it open at once.
    const there = continuationOf(old, (host) => tx.get("session", sessionIdOf(host)))
    if (there !== null) throw new Error(`it goes on in ${there} already`)
    const { intent, mode, next_report, turning_points } = old
    const { id } = ensureSession(tx, { ...caller, session: next }, now, intent)
    const carried = { intent, mode, next_report, turning_points, continues: caller.session }
    tx.set("session", id, { ...carried, updated_at: at })
    moveHead(tx, caller.session, next, at)
    for (const task of [...tx.by("task", "holder", caller.session)])
      tx.set("task", task.id, { assigned_session_id: next, updated_at: at })
    for (const delegation of [...tx.by("delegation", "open", ALL)])
      if (delegation.session_id === caller.session)
        tx.set("delegation", delegation.id, { session_id: next, updated_at: at })
    tx.set("session", sessionIdOf(caller.session), {
      status: "closed",
      continued_in: next,
      closed_at: at,
      updated_at: at,
    })
  })
}

/** The session that has a session's work by now; null where there is none, or all were deleted or closed since. */
export function continuationOf(
  session: Session | undefined,
  find: (host: string) => Session | undefined,
): string | null {
  if (session === undefined) return null
  const later = laterSessions((host) => (host === session.host_id ? session : find(host)), session.host_id)
  return later.findLast((each) => find(each)?.status !== "closed") ?? null
}

/** The old session is at no task any more: two that are would get into each other's way. */
function moveHead(tx: Transaction, from: string, to: string, at: string): void {
  const { active_plan_id, active_phase_id, active_task_ids, intent, intent_about, intent_shift_at } = tx.need(
    "trajectory",
    headIdOf(from),
  )
  const place = { active_plan_id, active_phase_id, active_task_ids, intent, intent_about, intent_shift_at }
  tx.set("trajectory", headIdOf(to), { ...place, updated_at: at })
  tx.set("trajectory", headIdOf(from), { active_task_ids: [], updated_at: at })
}
