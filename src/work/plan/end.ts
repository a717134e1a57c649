import { isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { abandonDocuments } from "../../project/document/abandon-documents.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { removeFromReadHeads } from "../task/finish.ts"
import { unblockTasks } from "../task/unblock.ts"

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
    const open = tasksOf(tx, id).filter(isOpenTask)
    if (plan.status !== "abandoned" && open.length > 0) throw stillOpen(plan, open)
    tx.set("plan", id, { status: "archived", completed_at: plan.completed_at ?? at, updated_at: at })
    leavePlan(tx, id, at)
    return { plan: tx.need("plan", id), unblocked: unblockTasks(tx, at) }
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
    const waitedFor = new Set<string>()
    for (const task of tx.all("task")) {
      if (task.parent_plan_id === id || isOverTask(task)) continue
      for (const each of [...task.depends_on, task.temporal_gate?.after_task_id ?? ""]) waitedFor.add(each)
    }
    const breaking = tasksOf(tx, id).filter((task) => waitedFor.has(task.id) && isOpenTask(task))
    for (const task of breaking) invalidate(tx, task, at)
    abandonDocuments(tx, id, at)
    return { plan: tx.need("plan", id), invalidated: breaking }
  })
  return result
}

/** Invalidates the open tasks of abandoned plans and moves read-heads out of them, at the start of a session. Returns how
 * many tasks. */
export async function purgeAbandoned(hive: Hive, caller: Caller): Promise<number> {
  const { state } = hive.store.read()
  const abandoned = new Set(
    [...state.plan.values()].filter(({ status }) => status === "abandoned").map(({ id }) => id),
  )
  const left = (task: Task) => abandoned.has(task.parent_plan_id) && isOpenTask(task)
  const heads = [...state.trajectory.values()].some(({ active_plan_id }) =>
    abandoned.has(active_plan_id ?? ""),
  )
  if (!heads && ![...state.task.values()].some(left)) return 0
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const leaving = [...tx.all("task")].filter(left)
    for (const task of leaving) invalidate(tx, task, at)
    for (const id of abandoned) leavePlan(tx, id, at)
    return leaving.length
  })
  return result
}

function invalidate(tx: Transaction, task: Task, at: string): void {
  tx.set("task", task.id, { status: "invalidated", reason: "its plan was abandoned", updated_at: at })
  removeFromReadHeads(tx, task.id, at)
}

/** No read-head points into a plan that is over. */
function leavePlan(tx: Transaction, planId: string, at: string): void {
  for (const head of [...tx.all("trajectory")]) {
    if (head.active_plan_id !== planId) continue
    const nowhere = { active_plan_id: null, active_phase_id: null, active_task_ids: [] }
    tx.set("trajectory", head.id, { ...nowhere, updated_at: at })
  }
}

function tasksOf(tx: Transaction, planId: string): Task[] {
  return [...tx.all("task")].filter((task) => task.parent_plan_id === planId)
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
