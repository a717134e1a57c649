import * as z from "zod"
import { compare } from "../../graph/by-age.ts"
import { laterSessions } from "../../graph/conversation.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { isActiveSession, isOpenTask } from "../../graph/lifecycle.ts"
import { newStamp } from "../../graph/new-records.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { text } from "../../schemas/fields.ts"
import { isSetOf } from "../../schemas/op.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import { type Session, sessionMode, type Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { callText } from "../../shared/tool-names.ts"
import { type SessionCaller, writeGraph } from "../write.ts"

export const sessionStart = z.strictObject({ intent: text, mode: sessionMode.optional() })

export function startSession(
  hive: Hive,
  caller: SessionCaller,
  { intent, mode }: z.infer<typeof sessionStart>,
): Promise<Session> {
  return writeGraph(hive, caller, (tx, at, now) => {
    const session = ensureSession(tx, caller, now, intent)
    tx.set("trajectory", headIdOf(caller.session), { intent, intent_about: null, updated_at: at })
    const open = { mode: mode ?? session.mode, status: "active", closed_at: null } as const
    return tx.set("session", session.id, { intent, ...open, updated_at: at })
  })
}

export function ensureSession(
  tx: Transaction,
  caller: SessionCaller,
  now: number,
  intent: string | null,
  parent: string | null = null,
): Session {
  const at = new Date(now).toISOString()
  const id = sessionIdOf(caller.session)
  const session = openSession()
  const headId = headIdOf(caller.session)
  if (tx.get("trajectory", headId) === undefined) {
    const above = parent === null ? undefined : tx.get("trajectory", headIdOf(parent))
    const project = tx.get("trajectory", PROJECT_HEAD_ID)
    // A subagent works on its parent's task; a new session starts in the project's plan, but without a task.
    const from = above ?? (project && { ...project, active_task_ids: [] })
    tx.add("trajectory", newHead(headId, session, from, at))
  }
  return session

  function openSession(): Session {
    const there = tx.get("session", id)
    if (there?.status === "closed")
      return tx.set("session", id, { status: "active", closed_at: null, updated_at: at })
    if (there !== undefined) return there
    return tx.add("session", {
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
}

export function closeSession(hive: Hive, caller: SessionCaller, summary?: string): Promise<Session> {
  return writeGraph(hive, caller, (tx, at, now) => {
    const id = sessionIdOf(caller.session)
    const session = tx.get("session", id)
    if (session === undefined || !isActiveSession(session))
      throw new HiveError({
        code: "not_found",
        what: "There is no open session to close.",
        why: "This session was never started, or is closed already.",
        use_instead: `Start one: ${callText("session", "start")}.`,
        evidence: caller.session,
      })
    endUnplannedOf(tx, caller.session, "the session was closed", now)
    const closed = { status: "closed", summary: summary ?? session.summary, closed_at: at } as const
    return tx.set("session", id, { ...closed, updated_at: at })
  })
}

/** Continues the given session (id, host id or stamp), or else the latest other session. */
export function resumeSession(hive: Hive, caller: SessionCaller, wanted?: string): Promise<Session> {
  return writeGraph(hive, caller, (tx, at, now) => {
    const from = findResumed(tx, sessionIdOf(caller.session), wanted)
    const { mode } = from
    const intent = from.intent ?? "Resumed work"
    const { id } = ensureSession(tx, caller, now, intent)
    tx.set("session", id, { intent, mode, status: "active", closed_at: null, updated_at: at })
    const place = tx.get("trajectory", headIdOf(from.host_id))
    if (place !== undefined) {
      const { active_plan_id, active_phase_id, active_task_ids, intent_about } = place
      const to = { active_plan_id, active_phase_id, active_task_ids, intent_about }
      const head = { ...to, intent: place.intent ?? intent, updated_at: at }
      tx.set("trajectory", headIdOf(caller.session), head)
    }
    return from
  })
}

function findResumed(tx: Transaction, own: string, wanted: string | undefined): Session {
  let from: Session | undefined
  for (const each of tx.all("session")) {
    const isCandidate =
      wanted === undefined ? each.id !== own : [each.id, each.host_id, each.stamp].includes(wanted)
    const later =
      from === undefined ? 1 : compare(each.updated_at, from.updated_at) || compare(each.id, from.id)
    if (isCandidate && later > 0) from = each
  }
  if (from !== undefined) return from
  const isFirst = wanted === undefined
  throw new HiveError({
    code: "not_found",
    what: "There is no session to resume.",
    why: isFirst ? "This is the first session of the project." : `No session is called ${wanted}.`,
    use_instead: `Start a new one: ${callText("session", "start")}.`,
    evidence: wanted ?? "no earlier session",
  })
}

/** Moves intent, read-head, held tasks and delegations to another session, in one write. */
export async function continueIn(hive: Hive, caller: SessionCaller, next: string): Promise<void> {
  await writeGraph(hive, caller, (tx, at, now) => {
    const old = ensureSession(tx, caller, now, null)
    // Another process with the same session open may have split it already.
    const there = continuationOf(old, (host) => tx.get("session", sessionIdOf(host)))
    if (there !== null) throw new Error(`the session's work was already continued in ${there}`)
    const { intent, mode, next_report, turning_points } = old
    const { id } = ensureSession(tx, { ...caller, session: next }, now, intent)
    const carried = { intent, mode, next_report, turning_points, continues: caller.session }
    tx.set("session", id, { ...carried, updated_at: at })
    const { id: _, session_id, created_at, stamp, ...place } = tx.need("trajectory", headIdOf(caller.session))
    tx.set("trajectory", headIdOf(next), { ...place, updated_at: at })
    tx.set("trajectory", headIdOf(caller.session), { active_task_ids: [], updated_at: at })
    for (const task of [...tx.by("task", "holder", caller.session)])
      tx.set("task", task.id, { assigned_session_id: next, updated_at: at })
    for (const delegation of [...tx.by("delegation", "open", ALL)])
      if (delegation.session_id === caller.session)
        tx.set("delegation", delegation.id, { session_id: next, updated_at: at })
    const closed = { status: "closed", continued_in: next, closed_at: at } as const
    tx.set("session", old.id, { ...closed, updated_at: at })
  })
}

/** The session in which a session's work continues; null if there is none, or if all were deleted or closed. */
export function continuationOf(session: Session | undefined, find: (host: string) => Session | undefined) {
  if (session === undefined) return null
  const later = laterSessions((host) => (host === session.host_id ? session : find(host)), session.host_id)
  return later.findLast((each) => find(each)?.status !== "closed") ?? null
}

export async function shiftHead(hive: Hive, caller: SessionCaller, taskId: string): Promise<void> {
  await writeGraph(hive, caller, (tx, at, now) => {
    ensureSession(tx, caller, now, null)
    const task = tx.need("task", taskId)
    const plan = tx.need("plan", task.parent_plan_id)
    moveHead(tx, caller.session, { plan, phase: tx.need("phase", task.parent_phase_id), task }, now)
    tx.set("trajectory", headIdOf(caller.session), { intent_shift_at: at })
  })
}

/** Undoes the move of a read-head by a user's message, unless the read-head has been moved again. */
export async function takeBackShift(hive: Hive, caller: Caller, session: string): Promise<Trajectory> {
  const { store } = hive
  const headId = headIdOf(session)
  const shiftedAt = store.read().state.trajectory.get(headId)?.intent_shift_at ?? null
  // The entry that moved the read-head is not older than `intent_shift_at`.
  const entries = shiftedAt === null ? [] : await store.log({ since: shiftedAt, tool: INTENT_SHIFT })
  const shift = entries.findLast(({ by }) => by.tool === INTENT_SHIFT && by.session === session)
  return writeGraph(hive, caller, (tx, at) => {
    if (shift === undefined || tx.need("trajectory", headId).intent_shift_at !== shiftedAt)
      throw new HiveError({
        code: "not_found",
        what: "There is no move of this session's read-head to undo.",
        why: "No user message has moved the read-head, or it has been moved again since.",
        use_instead: "Start the task that the session should work on.",
        evidence: `session ${session}: intent_shift_at`,
      })
    for (const id of [headId, PROJECT_HEAD_ID]) {
      const { was, to } = changeOf(shift, id)
      const head = tx.get("trajectory", id)
      // If another session has moved the project's read-head since, it stays where it is.
      if (head === undefined || (id !== headId && !isAt(head, to))) continue
      const tasks = was.active_task_ids ?? head.active_task_ids
      const open = tasks.filter((task) => isOpenTask(tx.get("task", task)))
      tx.set("trajectory", id, { ...was, active_task_ids: open, intent_shift_at: null, updated_at: at })
    }
    return tx.need("trajectory", headId)
  })
}

function changeOf({ ops }: Entry, id: string): { was: Partial<Trajectory>; to: Partial<Trajectory> } {
  const own = ops.filter((op) => isSetOf(op, "trajectory")).filter((op) => op.id === id)
  const was: Partial<Trajectory> = Object.assign({}, ...own.toReversed().map((op) => op.was))
  const to: Partial<Trajectory> = Object.assign({}, ...own.map((op) => op.to))
  return { was, to }
}

function isAt(head: Trajectory, { active_plan_id, active_phase_id, active_task_ids }: Partial<Trajectory>) {
  const tasks = active_task_ids ?? head.active_task_ids
  return (
    (active_plan_id ?? head.active_plan_id) === head.active_plan_id &&
    (active_phase_id ?? head.active_phase_id) === head.active_phase_id &&
    tasks.join() === head.active_task_ids.join()
  )
}

export interface HeadTarget {
  plan: Plan
  phase: Phase | null
  task: Task | null
}

/** Moves the read-head of the session and of the project; a subagent moves only its own. */
export function moveHead(tx: Transaction, hostId: string, { plan, phase, task }: HeadTarget, now: number) {
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

function newHead(id: string, session: Session | null, from: Trajectory | undefined, at: string): Trajectory {
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

function endUnplannedOf(tx: Transaction, session: string, why: string, now: number): void {
  for (const task of [...tx.by("task", "holder", session)])
    if (isUnplanned(task)) endUnplanned(tx, task, why, now)
}

/** Completes an inbox task. It needs no evidence, because its changes are recorded. */
export function endUnplanned(tx: Transaction, { id }: Task, why: string, now: number): void {
  const at = new Date(now).toISOString()
  tx.set("task", id, { status: "completed", evidence: why, completed_at: at, updated_at: at })
}

export const INTENT_SHIFT = "intent shift"
