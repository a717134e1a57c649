import { earlierSessions } from "../../graph/conversation.ts"
import { requireTask } from "../../graph/current-task.ts"
import { holderOf, isClosedSession } from "../../graph/lifecycle.ts"
import { numberIn, registersOf } from "../../graph/metrics.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { hasHostEnded } from "../session/host-process.ts"

/** The task that a call is to end: the caller's own, one that it has handed on, or one that nobody is at work on. */
export async function requireOwnTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskRef: string | undefined,
): Promise<Task> {
  const { state } = hive.store.read()
  const task = requireTask(state, caller.session, taskRef)
  const holder = await holderElsewhere(hive, task, caller.session)
  if (holder === null || isAbove(state, caller.session, holder)) return task
  // Who handed it on may be a session of its own by now.
  if ([...state.delegation.by("task_id", task.id)].some(({ session_id }) => session_id === caller.session))
    return task
  throw heldElsewhere(task, holder, "was left as it is")
}

/** The other session that is at work on a task; null if none is. */
export async function holderElsewhere(hive: Hive, task: Task, session: string): Promise<string | null> {
  const holder = holderOf(task)
  if (holder === null || holder === session) return null
  return (await isAlive(hive, holder, { task, caller: session })) ? holder : null
}

/** It was closed or deleted, or the process that it ran in has ended: it holds nothing, from that moment on. */
export function isSessionOver(state: GraphState, session: string): boolean {
  return isClosedSession(sessionOf(state, session)) || hasHostEnded(state, session)
}

/**
 * Is a session still at work on a task? One that is over is not, nor one without a sign of life for an hour: while it
 * works it calls tools, and each minute with calls is noted. Of another clone's session no calls are known, so it has
 * longer; one that the host does not know may be another host's, and has shorter. Where the host is not at work on it,
 * it has also given way to whoever stands above it (subagents run in their parent's host), and to a session that has taken up
 * where it left off: resumed it, was forked from it, or was sent to that task by the user.
 */
export async function isAlive(
  hive: Hive,
  session: string,
  { task, caller }: { task: Task; caller: string | null },
): Promise<boolean> {
  const { state } = hive.store.read()
  if (sessionOf(state, session) === undefined || isSessionOver(state, session)) return false
  const silence = hive.source.now() - lastSign(state, session, task)
  if (silence > (state.metrics.has(session) ? IDLE_MS : IDLE_ELSEWHERE_MS)) return false
  const said = await hostSays(hive, session)
  if (said === "gone") return silence < UNKNOWN_MS
  if (said !== "idle" || caller === null) return true
  return !isAbove(state, caller, session) && !headOf(state, caller)?.active_task_ids.includes(task.id)
}

export function heldElsewhere(task: Task, holder: string, what: string): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The task "${task.title}" ${what}.`,
    why: "Another session is working on it.",
    use_instead: "Take another task, or wait until it is done.",
    evidence: `task ${task.id}: assigned_session_id = ${holder}`,
  })
}

/**
 * Is `below` a subagent of the session, or of one of its subagents? Those that a session had before another one went on
 * with its work are that one's.
 */
export function isAbove(state: GraphState, session: string, below: string): boolean {
  const find = (host: string) => sessionOf(state, host)
  let earlier: Map<string, string> | undefined
  let child = find(below)
  for (let depth = 0; child !== undefined && depth < MAX_DEPTH; depth++) {
    const parent = child.parent_host_id ?? null
    if (parent === null) return false
    if (parent === session) return true
    earlier ??= new Map(earlierSessions(find, session).map((each) => [each.session, each.until]))
    if (child.created_at <= (earlier.get(parent) ?? "")) return true
    child = find(parent)
  }
  return false
}

function lastSign(state: GraphState, session: string, task: Task): number {
  const [newest] = first(1, state.checkpoint.by("task_id", task.id).backwards())
  const noted = [task.updated_at, newest?.created_at ?? ""].map((at) => Date.parse(at) || 0)
  return Math.max(...noted, numberIn(registersOf(state, session), "minute_began"))
}

async function hostSays(hive: Hive, session: string): Promise<"busy" | "idle" | "gone" | undefined> {
  if (hive.sessionState === undefined) return undefined
  try {
    const answer = await withTimeout(hive.sessionState(session), ASK_MS)
    return answer.timedOut ? undefined : answer.value
  } catch {
    return undefined // The record's age has to do.
  }
}

// A hand-edited circle of parents must not hang a call.
const MAX_DEPTH = 10
const IDLE_MS = 3_600_000
const IDLE_ELSEWHERE_MS = 4 * IDLE_MS
// Longer than any one call of a tool takes.
const UNKNOWN_MS = IDLE_MS / 4
const ASK_MS = 1000
