import { earlierSessions } from "../../graph/conversation.ts"
import { requireTask } from "../../graph/current-task.ts"
import { ALL, foldersOf, lockPath } from "../../graph/indexes.ts"
import { holderOf } from "../../graph/lifecycle.ts"
import { numberIn, registersOf } from "../../graph/metrics.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { isSessionOver } from "../../hive/host-process.ts"
import { projectPath } from "../../project/project-path.ts"
import type { Task } from "../../schemas/task.ts"
import type { HiveError } from "../../shared/error.ts"
import { isGlob, pathsMeet } from "../../shared/glob.ts"
import { shortId } from "../../shared/ids.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { isAbsolutePath } from "../../shared/well-known-folders.ts"
import { type SessionCaller, taskRefusal } from "../write.ts"

/** The task that a call may end: the caller's own, one that it delegated, or one that no session works on. */
export async function requireOwnTask(hive: Hive, { session }: SessionCaller, given: string | undefined) {
  const { state } = hive.store.read()
  const task = requireTask(state, session, given)
  const holder = await holderElsewhere(hive, task, session)
  if (holder === null || isAbove(state, session, holder)) return task
  const isDelegator = [...state.delegation.by("task_id", task.id)].some((each) => each.session_id === session)
  if (isDelegator) return task
  throw heldElsewhere(task, holder, "was not changed")
}

export async function holderElsewhere(hive: Hive, task: Task, session: string): Promise<string | null> {
  const holder = holderOf(task)
  if (holder === null || holder === session) return null
  return (await isAlive(hive, holder, { task, caller: session })) ? holder : null
}

/** Whether a session still works on a task. An idle session gives way to its parent, and to one that continues it. */
export async function isAlive(hive: Hive, session: string, { task, caller }: { task: Task; caller: string }) {
  const { state } = hive.store.read()
  if (sessionOf(state, session) === undefined || isSessionOver(state, session)) return false
  const silence = hive.source.now() - lastActivity(state, session, task)
  if (silence > (state.metrics.has(session) ? IDLE_MS : IDLE_ELSEWHERE_MS)) return false
  const said = await hostSays(hive, session)
  if (said === "gone") return silence < UNKNOWN_MS
  if (said !== "idle") return true
  return !isAbove(state, caller, session) && !headOf(state, caller)?.active_task_ids.includes(task.id)
}

export function heldElsewhere(task: Task, holder: string, happened: string): HiveError {
  return taskRefusal(task, happened, {
    code: "conflict",
    why: "Another session is working on the task.",
    use_instead: `Take another task, or wait until this one is done. The user can free it: \`hivemind tasks ${shortId(task.id)} --take\`.`,
    evidence: `task ${task.id}: assigned_session_id = ${holder}`,
  })
}

/** Whether `below` is the session's subagent at any depth, or was an earlier session's before this session continued it. */
export function isAbove(state: GraphState, session: string, below: string): boolean {
  const find = (host: string) => sessionOf(state, host)
  const earlier = new Map(earlierSessions(find, session).map((each) => [each.session, each.until]))
  let child = find(below)
  for (let depth = 0; child !== undefined && depth < MAX_DEPTH; depth++) {
    const parent = child.parent_host_id ?? null
    if (parent === null) return false
    if (parent === session || child.created_at <= (earlier.get(parent) ?? "")) return true
    child = find(parent)
  }
  return false
}

function lastActivity(state: GraphState, session: string, task: Task): number {
  const [newest] = first(1, state.checkpoint.by("task_id", task.id).backwards())
  const noted = [task.updated_at, newest?.created_at ?? ""].map((at) => Date.parse(at) || 0)
  return Math.max(...noted, numberIn(registersOf(state, session), "minute_began"))
}

async function hostSays(hive: Hive, session: string): Promise<"busy" | "idle" | "gone" | undefined> {
  if (hive.sessionState === undefined) return undefined
  try {
    const answer = await withTimeout(hive.sessionState(session), 1000)
    return answer.timedOut ? undefined : answer.value
  } catch {
    return undefined // Without an answer of the host, the time of the last activity decides.
  }
}

// Limits the walk up the parents, because a manual edit of the records can make a cycle.
const MAX_DEPTH = 10
const IDLE_MS = 3_600_000
const IDLE_ELSEWHERE_MS = 4 * IDLE_MS
// A session that the host does not know counts as working for this long: longer than any tool call takes.
const UNKNOWN_MS = IDLE_MS / 4

type FindLocks = (index: "lock" | "lock_below" | "locked" | "lock_pattern", key: string) => Iterable<Task>

/** The active task, other than `except`, that has locked this path. Path and locks may be globs. */
export function lockHolder(find: FindLocks, state: GraphState, path: string, except: string | undefined) {
  const wanted = lockPath(path)
  const isWide = isGlob(wanted) || wanted === ""
  const isMet = (task: Task) => task.file_locks.some((lock) => pathsMeet(lockPath(lock), wanted))
  const isHeld = (task: Task) => {
    const holder = holderOf(task)
    return task.id !== except && (holder === null || !isSessionOver(state, holder))
  }
  if (!isWide) {
    const exact = [wanted, ...foldersOf(wanted)].map((one) => find("lock", one))
    for (const tasks of [...exact, find("lock_below", wanted)])
      for (const task of tasks) if (isHeld(task)) return task
  }
  for (const task of find(isWide ? "locked" : "lock_pattern", ALL))
    if (isHeld(task) && isMet(task)) return task
  return undefined
}

/** A lock as it is stored: relative to the project, even if it was given as an absolute path. */
export function keptLock(dir: string, path: string): string {
  const lock = lockPath(path)
  if (!isAbsolutePath(lock)) return lock || "."
  const segments = lock.split("/")
  const fixed = segments.findIndex(isGlob)
  const folder = fixed === -1 ? lock : segments.slice(0, fixed).join("/")
  const inside = projectPath(dir, folder || "/")
  if (inside === undefined) return lock
  return lockPath([inside || ".", ...(fixed === -1 ? [] : segments.slice(fixed))].join("/")) || "."
}
