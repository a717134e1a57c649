import { isUnplanned } from "../../graph/inbox.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Session, Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"

export interface HeadTarget {
  plan: Plan
  phase: Phase | null
  task: Task | null
}

/**
 * Moves the session's read-head. The project's moves along, so that the next session starts there; a subagent moves
 * only its own.
 */
export function moveHead(
  tx: Transaction,
  hostId: string,
  { plan, phase, task }: HeadTarget,
  now: number,
): void {
  const at = new Date(now).toISOString()
  const own = tx.need("trajectory", headIdOf(hostId))
  if (task !== null && !isUnplanned(task)) endUnplannedOf(tx, hostId, `followed by: ${task.title}`, now)
  if (tx.get("trajectory", PROJECT_HEAD_ID) === undefined)
    tx.add("trajectory", newHead(PROJECT_HEAD_ID, null, own, at))
  const isSubagent = tx.get("session", sessionIdOf(hostId))?.parent_host_id != null
  for (const id of isSubagent ? [own.id] : [own.id, PROJECT_HEAD_ID])
    tx.set("trajectory", id, {
      intent: own.intent,
      intent_about: own.intent === null ? null : (own.intent_about ?? plan.id),
      active_plan_id: plan.id,
      active_phase_id: phase?.id ?? task?.parent_phase_id ?? null,
      active_task_ids: task === null ? [] : [task.id],
      intent_shift_at: null,
      updated_at: at,
    })
}

/** A new read-head for `session` (null: the project's), with the plan, phase and tasks of another one, or none. */
export function newHead(
  id: string,
  session: Session | null,
  from: Trajectory | undefined,
  at: string,
): Trajectory {
  return {
    id,
    session_id: session?.id ?? null,
    active_plan_id: from?.active_plan_id ?? null,
    active_phase_id: from?.active_phase_id ?? null,
    active_task_ids: from?.active_task_ids ?? [],
    intent: session?.intent ?? null,
    intent_about: null,
    intent_shift_at: null,
    created_at: at,
    updated_at: at,
    stamp: session?.stamp ?? from?.stamp ?? "",
  }
}

/** Ends the session's inbox task, because the session has another task now or is over. */
export function endUnplannedOf(tx: Transaction, session: string, why: string, now: number): void {
  for (const task of [...tx.by("task", "holder", session)])
    if (isUnplanned(task)) endUnplanned(tx, task, why, now)
}

/** Completes an inbox task. It needs no evidence: its changes are on record. */
export function endUnplanned(tx: Transaction, { id }: Task, why: string, now: number): void {
  const at = new Date(now).toISOString()
  tx.set("task", id, { status: "completed", evidence: why, completed_at: at, updated_at: at })
}
