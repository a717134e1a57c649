import { byAge } from "../../graph/by-age.ts"
import { requireTask } from "../../graph/current-task.ts"
import { holderOf, isBlockedTask, isClosedSession } from "../../graph/lifecycle.ts"
import { type Lookup, obstaclesOf } from "../../graph/obstacles.ts"
import { sessionIdOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { ensureSession, moveHead } from "../session/session.ts"
import { type SessionCaller, taskRefusal, writeGraph } from "../write.ts"
import { heldElsewhere, holderElsewhere, lockHolder } from "./holder.ts"

export async function startTask(hive: Hive, caller: SessionCaller, given: string | undefined): Promise<Task> {
  const { state } = hive.store.read()
  const before = requireTask(state, caller.session, given)
  // The host is asked before the lock is taken, because its answer may take a while.
  const isHeld = (await holderElsewhere(hive, before, caller.session)) !== null
  return writeGraph(hive, caller, (tx, _, now) => {
    const task = tx.need("task", before.id)
    refuseForeign(task, caller, isHeld ? null : before.assigned_session_id)
    refuseUnready(tx, task, hive.store.read().state)
    ensureSession(tx, caller, now, task.title)
    return activate(tx, task, caller.session, now)
  })
}

/** Makes an active task the session's own, unless another open session holds it meanwhile. */
export async function adoptTask(hive: Hive, caller: SessionCaller, taskId: string): Promise<void> {
  await writeGraph(hive, caller, (tx, _, now) => {
    const task = tx.get("task", taskId)
    if (task?.status !== "active") return
    const holder = holderOf(task)
    const isOther = holder !== null && holder !== caller.session
    if (isOther && !isClosedSession(tx.get("session", sessionIdOf(holder)))) return
    ensureSession(tx, caller, now, task.title)
    activate(tx, task, caller.session, now)
  })
}

export function activate(tx: Transaction, task: Task, session: string, now: number): Task {
  const at = new Date(now).toISOString()
  const plan = tx.need("plan", task.parent_plan_id)
  const phase = tx.need("phase", task.parent_phase_id)
  if (plan.status === "draft" || plan.status === "completed")
    tx.set("plan", plan.id, { status: "active", completed_at: null, updated_at: at })
  if (phase.status !== "active") tx.set("phase", phase.id, { status: "active", updated_at: at })
  const active = tx.set("task", task.id, {
    status: "active",
    ahead: false,
    assigned_session_id: session,
    started_at: task.started_at ?? at,
    updated_at: at,
  })
  moveHead(tx, session, { plan, phase, task }, now)
  return active
}

export function releaseTask(tx: Transaction, { id }: Task, at: string): void {
  tx.set("task", id, { status: "planned", assigned_session_id: null, updated_at: at })
  removeFromReadHeads(tx, id, at)
}

/** A read-head must not point at a task that is over or that no session holds. */
export function removeFromReadHeads(tx: Transaction, taskId: string, at: string): void {
  for (const head of [...tx.by("trajectory", "active_task_ids", taskId)]) {
    const active_task_ids = head.active_task_ids.filter((id) => id !== taskId)
    tx.set("trajectory", head.id, { active_task_ids, updated_at: at })
  }
}

export function unblockTasks(tx: Transaction, waiting: Iterable<Task>, at: string): Task[] {
  return [...new Set(waiting)]
    .filter((task) => isBlockedTask(task) && obstaclesOf(task, lookupOf(tx)).length === 0)
    .sort(byAge)
    .map(({ id }) => tx.set("task", id, { status: "planned", updated_at: at }))
}

export function blockTasks(tx: Transaction, planned: readonly Task[], at: string): void {
  for (const task of planned)
    if (task.status === "planned" && obstaclesOf(task, lookupOf(tx)).length > 0)
      tx.set("task", task.id, { status: "blocked", updated_at: at })
}

function lookupOf(tx: Transaction): Lookup {
  return (kind, id) => tx.get(kind, id)
}

export function* waitingForTask(tx: Transaction, id: string): Iterable<Task> {
  yield* tx.by("task", "depends_on", id)
  yield* tx.by("task", "temporal_gate.after_task_id", id)
}

export function* waitingForPlan(tx: Transaction, id: string): Iterable<Task> {
  for (const plan of tx.by("plan", "depends_on", id)) yield* tx.by("task", "plan blocked", plan.id)
}

export function waitingForDecision(tx: Transaction, id: string): Iterable<Task> {
  return tx.by("task", "decisions", id)
}

/** Throws if another session holds the task. `free` is a holder that has stopped working, so it does not count. */
function refuseForeign(task: Task, { session, agent }: SessionCaller, free: string | null): void {
  const holder = holderOf(task)
  if (holder !== null && holder !== session && holder !== free)
    throw heldElsewhere(task, holder, "was not started")
  const { id, assigned_to } = task
  if (assigned_to === null || agent === null || assigned_to === agent || !agent.startsWith("hive-")) return
  throw taskRefusal(task, "was not started", {
    code: "conflict",
    why: `The task is assigned to ${assigned_to}; you are ${agent}.`,
    use_instead: "Report your findings, so that the coordinator can delegate the task.",
    evidence: `task ${id}: assigned_to = ${assigned_to}`,
  })
}

function refuseUnready(tx: Transaction, task: Task, state: GraphState): void {
  const [obstacle] = obstaclesOf(task, lookupOf(tx))
  if (obstacle !== undefined) throw taskRefusal(task, "was not started", obstacle)
  for (const path of task.file_locks) {
    const holder = lockHolder((index, key) => tx.by("task", index, key), state, path, task.id)
    if (holder === undefined) continue
    throw taskRefusal(task, "was not started", {
      code: "conflict",
      why: `The task needs ${path}, which the task "${holder.title}" has locked.`,
      use_instead: `Complete ${shortId(holder.id)} first.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}
