import * as z from "zod"
import { newStamp } from "../../graph/made.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { text } from "../../schemas/fields.ts"
import { type Session, sessionMode } from "../../schemas/session.ts"
import { newHead } from "./move-head.ts"

/** What a session is opened with: the arguments of a call. */
export const sessionStart = z.strictObject({ intent: text, mode: sessionMode.optional() })

/** Opens the caller's session with an intent; one that is open already gets the new intent. */
export async function startSession(
  hive: Hive,
  caller: Caller & { session: string },
  input: z.infer<typeof sessionStart>,
): Promise<Session> {
  const now = hive.source.now()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const session = ensureSession(tx, caller, now, input.intent)
    const at = new Date(now).toISOString()
    const mode = input.mode ?? session.mode
    tx.set("session", session.id, {
      intent: input.intent,
      mode,
      status: "active",
      closed_at: null,
      updated_at: at,
    })
    tx.set("trajectory", headIdOf(caller.session), {
      intent: input.intent,
      intent_about: null,
      updated_at: at,
    })
    return tx.need("session", session.id)
  })
  return result
}

/**
 * The caller's session. Creates it and its read-head if needed; that starts where its parent's is, or the project's.
 */
export function ensureSession(
  tx: Transaction,
  caller: Caller & { session: string },
  now: number,
  intent: string | null,
  parent: string | null = null,
): Session {
  const at = new Date(now).toISOString()
  const id = sessionIdOf(caller.session)
  if (tx.get("session", id) === undefined) {
    tx.add("session", {
      id,
      host_id: caller.session,
      parent_host_id: parent,
      agent: caller.agent,
      mode: "plan_driven",
      intent,
      status: "active",
      summary: null,
      next_report: null,
      turning_points: [],
      closed_at: null,
      created_at: at,
      updated_at: at,
      stamp: newStamp(tx, "session", now),
    })
  }
  if (tx.need("session", id).status === "closed") {
    tx.set("session", id, { status: "active", closed_at: null, updated_at: at })
  }
  const session = tx.need("session", id)
  if (tx.get("trajectory", headIdOf(caller.session)) === undefined) {
    const above = parent === null ? undefined : tx.get("trajectory", headIdOf(parent))
    const project = tx.get("trajectory", PROJECT_HEAD_ID)
    // A subagent works on its parent's task; a new session starts in the project's plan, but in nobody's task.
    const from = above ?? (project && { ...project, active_task_ids: [] })
    tx.add("trajectory", newHead(headIdOf(caller.session), session, from, at))
  }
  return session
}
