import { requireTask } from "../../graph/current-task.ts"
import { holderOf, isClosedSession } from "../../graph/lifecycle.ts"
import { type Lookup, obstaclesOf } from "../../graph/obstacles.ts"
import { sessionIdOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { moveHead } from "../session/move-head.ts"
import { ensureSession } from "../session/start.ts"
import { heldLocks, lockHolder } from "./file-locks.ts"
import { heldElsewhere, holderElsewhere } from "./holder.ts"

/** Starts a task. Of two sessions that try at the same moment, one gets it. */
export async function startTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskRef: string | undefined,
): Promise<Task> {
  const { store, source } = hive
  const before = requireTask(store.read().state, caller.session, taskRef)
  const { id } = before
  // Asked before the lock is taken: the host may take a while.
  const heldBy = await holderElsewhere(hive, before, caller.session)
  const now = source.now()
  const { result } = await store.write(authorOf(caller), (tx) => {
    const task = tx.need("task", id)
    refuseForeign(task, caller, heldBy === null ? before.assigned_session_id : null)
    refuseUnready(tx, task, store.read().state)
    ensureSession(tx, caller, now, task.title)
    activate(tx, task, caller.session, now)
    return tx.need("task", id)
  })
  return result
}

/** Makes an active task the session's own, unless another session that is not closed holds it by now. */
export async function adoptTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskId: string,
): Promise<void> {
  const now = hive.source.now()
  await hive.store.write(authorOf(caller), (tx) => {
    const task = tx.get("task", taskId)
    if (task?.status !== "active") return
    const holder = holderOf(task)
    const isOther = holder !== null && holder !== caller.session
    if (isOther && !isClosedSession(tx.get("session", sessionIdOf(holder)))) return
    ensureSession(tx, caller, now, task.title)
    activate(tx, task, caller.session, now)
  })
}

/** Makes a task the current one of a session. */
export function activate(tx: Transaction, task: Task, session: string, now: number): void {
  const at = new Date(now).toISOString()
  const plan = tx.need("plan", task.parent_plan_id)
  const phase = tx.need("phase", task.parent_phase_id)
  if (plan.status === "draft") tx.set("plan", plan.id, { status: "active", updated_at: at })
  if (phase.status !== "active") tx.set("phase", phase.id, { status: "active", updated_at: at })
  tx.set("task", task.id, {
    status: "active",
    ahead: false,
    assigned_session_id: session,
    started_at: task.started_at ?? at,
    updated_at: at,
  })
  moveHead(tx, session, { plan, phase, task }, now)
}

/** `free` is a session that was seen to hold it no more; one that has taken it since does. */
function refuseForeign(task: Task, caller: Caller & { session: string }, free: string | null): void {
  const holder = holderOf(task)
  if (holder !== null && holder !== caller.session && holder !== free)
    throw heldElsewhere(task, holder, "was not started")
  const { agent } = caller
  if (task.assigned_to === null || agent === null || task.assigned_to === agent || !agent.startsWith("hive-"))
    return
  throw new HiveError({
    code: "conflict",
    what: `The task "${task.title}" was not started.`,
    why: `It is assigned to ${task.assigned_to}; you are ${agent}.`,
    use_instead: "Report what you found and let the coordinator delegate it.",
    evidence: `task ${task.id}: assigned_to = ${task.assigned_to}`,
  })
}

function refuseUnready(tx: Transaction, task: Task, state: GraphState): void {
  const get: Lookup = (kind, id) => tx.get(kind, id)
  const [obstacle] = obstaclesOf(task, get)
  if (obstacle !== undefined) {
    throw new HiveError({
      code: "lifecycle",
      what: `The task "${task.title}" was not started.`,
      why: obstacle.why,
      use_instead: obstacle.instead,
      evidence: obstacle.evidence,
    })
  }
  for (const path of task.file_locks) {
    const holder = lockHolder(
      heldLocks((index, key) => tx.by("task", index, key), state),
      path,
      task.id,
    )
    if (holder === undefined) continue
    throw new HiveError({
      code: "conflict",
      what: `The task "${task.title}" was not started.`,
      why: `It needs ${path}, which "${holder.title}" holds.`,
      use_instead: `Complete ${shortId(holder.id)} first.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}
