import * as z from "zod"
import { laterSessions } from "../../graph/conversation.ts"
import { ALL } from "../../graph/indexes.ts"
import { isActiveSession, isOpenTask } from "../../graph/lifecycle.ts"
import { newStamp } from "../../graph/new-records.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { text } from "../../schemas/fields.ts"
import { isSetOf } from "../../schemas/op.ts"
import { type Session, sessionMode, type Trajectory } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { callText } from "../../shared/tool-names.ts"
import { type SessionCaller, writeGraph } from "../write.ts"
import { endUnplannedOf, moveHead, newHead } from "./move-head.ts"

export const sessionStart = z.strictObject({ intent: text, mode: sessionMode.optional() })

/** Opens the caller's session with an intent; one that is open already gets the new intent. */
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

/** The caller's session. Creates it and its read-head if needed; that starts where its parent's is, or the project's. */
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

/** Closes the caller's session. Its read-head is kept for a session that resumes it. */
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

/** Continues another session with its intent and read-head: the given one (id, host id or stamp), or the one before this. */
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
    if (isCandidate && (from === undefined || isLater(each, from))) from = each
  }
  if (from !== undefined) return from
  const isFirst = wanted === undefined
  throw new HiveError({
    code: "not_found",
    what: "There is no such session to resume.",
    why: isFirst ? "This is the first session of the project." : `No session is called ${wanted}.`,
    use_instead: `Start a new one: ${callText("session", "start")}.`,
    evidence: wanted ?? "no earlier session",
  })
}

function isLater(a: Session, b: Session): boolean {
  return a.updated_at === b.updated_at ? a.id > b.id : a.updated_at > b.updated_at
}

/**
 * Moves a session's work to another session: intent, read-head, the tasks it holds with their file locks, and its
 * delegations. One write: everything moves, or nothing does.
 */
export async function continueIn(hive: Hive, caller: SessionCaller, next: string): Promise<void> {
  await writeGraph(hive, caller, (tx, at, now) => {
    const old = ensureSession(tx, caller, now, null)
    // Two processes may have the session open at once.
    const there = continuationOf(old, (host) => tx.get("session", sessionIdOf(host)))
    if (there !== null) throw new Error(`it goes on in ${there} already`)
    const { intent, mode, next_report, turning_points } = old
    const { id } = ensureSession(tx, { ...caller, session: next }, now, intent)
    const carried = { intent, mode, next_report, turning_points, continues: caller.session }
    tx.set("session", id, { ...carried, updated_at: at })
    const { id: _, session_id, created_at, stamp, ...place } = tx.need("trajectory", headIdOf(caller.session))
    tx.set("trajectory", headIdOf(next), { ...place, updated_at: at })
    // Two sessions on one task would get into each other's way.
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

/** The session that has a session's work by now; null where there is none, or all were deleted or closed since. */
export function continuationOf(
  session: Session | undefined,
  find: (host: string) => Session | undefined,
): string | null {
  if (session === undefined) return null
  const later = laterSessions((host) => (host === session.host_id ? session : find(host)), session.host_id)
  return later.findLast((each) => find(each)?.status !== "closed") ?? null
}

/** Moves the read-head to the task that the user asked for. The read-head keeps when, so that the model is notified. */
export async function shiftHead(hive: Hive, caller: SessionCaller, taskId: string): Promise<void> {
  await writeGraph(hive, caller, (tx, at, now) => {
    ensureSession(tx, caller, now, null)
    const task = tx.need("task", taskId)
    const plan = tx.need("plan", task.parent_plan_id)
    moveHead(tx, caller.session, { plan, phase: tx.need("phase", task.parent_phase_id), task }, now)
    tx.set("trajectory", headIdOf(caller.session), { intent_shift_at: at })
  })
}

/** Puts a session's read-head back to where it was before the user's words moved it, as long as it stands there. */
export async function takeBackShift(hive: Hive, caller: Caller, session: string): Promise<Trajectory> {
  const { store } = hive
  const headId = headIdOf(session)
  const shiftedAt = store.read().state.trajectory.get(headId)?.intent_shift_at ?? null
  // The entry that moved it was written no earlier than the read-head says.
  const entries = shiftedAt === null ? [] : await store.log({ since: shiftedAt, tool: INTENT_SHIFT })
  const shift = entries.findLast(({ by }) => by.tool === INTENT_SHIFT && by.session === session)
  return writeGraph(hive, caller, (tx, at) => {
    if (shift === undefined || tx.need("trajectory", headId).intent_shift_at !== shiftedAt)
      throw new HiveError({
        code: "not_found",
        what: "There is no shift of this session to take back.",
        why: "Its read-head was not moved by the user's words, or has been moved on since.",
        use_instead: "Start the task that it should be at.",
        evidence: `session ${session}: intent_shift_at`,
      })
    for (const id of [headId, PROJECT_HEAD_ID]) {
      const { was, to } = changeOf(shift, id)
      const head = tx.get("trajectory", id)
      // The project's stays where another session has moved it since.
      if (head === undefined || (id !== headId && !isAt(head, to))) continue
      const tasks = was.active_task_ids ?? head.active_task_ids
      const open = tasks.filter((task) => isOpenTask(tx.get("task", task)))
      tx.set("trajectory", id, { ...was, active_task_ids: open, intent_shift_at: null, updated_at: at })
    }
    return tx.need("trajectory", headId)
  })
}

/** The fields of a read-head that an entry has changed, from the first of its ops to the last. */
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

/** The author of the log entry that moves a read-head. */
export const INTENT_SHIFT = "intent shift"
