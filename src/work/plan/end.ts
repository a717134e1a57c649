import { byAge } from "../../graph/by-age.ts"
import { isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { countTasksIn, statusesWhere } from "../../graph/tasks-in.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { abandonDocuments } from "../../project/document/abandon-documents.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { removeFromReadHeads } from "../task/release.ts"
import { unblockTasks, waitingForPlan, waitingForTask } from "../task/unblock.ts"

/** Archives a plan. Refused while it has open tasks, unless it was abandoned. */
export async function archivePlan(
  hive: Hive,
  caller: Caller,
  planRef: string,
): Promise<{ plan: Plan; unblocked: Task[] }> {
  const id = resolveId(hive.store.read().state, "plan", planRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const plan = tx.need("plan", id)
    const open = openTasksOf(tx, id)
    if (plan.status !== "abandoned" && open.length > 0) throw stillOpen(plan, open)
    tx.set("plan", id, { status: "archived", completed_at: plan.completed_at ?? at, updated_at: at })
    leavePlan(tx, id, at)
    return { plan: tx.need("plan", id), unblocked: unblockTasks(tx, waitingForPlan(tx, id), at) }
  })
  return result
}

/**
 * Abandons a plan. Its open tasks are invalidated when the next session starts; those that other plans wait for at
 * once, because that dependency will never be met. Nothing is deleted.
 */
export async function abandonPlan(
  hive: Hive,
  caller: Caller,
  planRef: string,
  reason: string,
): Promise<{ plan: Plan; invalidated: Task[] }> {
  const id = resolveId(hive.store.read().state, "plan", planRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    tx.set("plan", id, { status: "abandoned", reason, updated_at: at })
    const isWaitedFor = (task: Task) =>
      [...waitingForTask(tx, task.id)].some((other) => other.parent_plan_id !== id && !isOverTask(other))
    const breaking = openTasksOf(tx, id).filter(isWaitedFor)
    for (const task of breaking) invalidate(tx, task, at)
    abandonDocuments(tx, id, at)
    return { plan: tx.need("plan", id), invalidated: breaking }
  })
  return result
}

/**
 * Invalidates the open tasks of abandoned plans and moves read-heads out of them, at the start of a session. Returns how
 * many tasks. A plan may have very many: they are written in several steps, so that others get their turn.
 */
export async function purgeAbandoned(hive: Hive, caller: Caller): Promise<number> {
  const { state } = hive.store.read()
  const abandoned = Array.from(state.plan.by("status", "abandoned"), ({ id }) => id)
  const isLeft = (id: string) =>
    countTasksIn(state, "plan", id, isOpenTask) + state.trajectory.by("active_plan_id", id).size > 0
  const left = abandoned.filter(isLeft)
  const at = new Date(hive.source.now()).toISOString()
  let count = 0
  for (let isMore = left.length > 0; isMore; ) {
    const { result } = await hive.store.write(authorOf(caller), (tx) => {
      const leaving = left.flatMap((id) => openTasksOf(tx, id)).slice(0, MAX_AT_ONCE)
      for (const task of leaving) invalidate(tx, task, at)
      for (const id of left) leavePlan(tx, id, at)
      return leaving.length
    })
    count += result
    isMore = result === MAX_AT_ONCE
  }
  return count
}

function invalidate(tx: Transaction, task: Task, at: string): void {
  tx.set("task", task.id, { status: "invalidated", reason: "its plan was abandoned", updated_at: at })
  removeFromReadHeads(tx, task.id, at)
}

/** No read-head points into a plan that is over. */
function leavePlan(tx: Transaction, planId: string, at: string): void {
  for (const head of [...tx.by("trajectory", "active_plan_id", planId)]) {
    const nowhere = { active_plan_id: null, active_phase_id: null, active_task_ids: [] }
    tx.set("trajectory", head.id, { ...nowhere, updated_at: at })
  }
}

function openTasksOf(tx: Transaction, planId: string): Task[] {
  return statusesWhere(isOpenTask)
    .flatMap((status) => [...tx.by("task", `plan ${status}`, planId)])
    .sort(byAge)
}

function stillOpen(plan: Plan, open: Task[]): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: `The plan "${plan.title}" was not archived.`,
    why: `${open.length} task(s) are open: ${open
      .slice(0, 3)
      .map((task) => `"${task.title}" (${task.status})`)
      .join(", ")}.`,
    use_instead: "Complete or fail them first, or abandon the plan.",
    evidence: open.map((task) => shortId(task.id)).join(" "),
  })
}

const MAX_AT_ONCE = 500
