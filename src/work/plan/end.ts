import { byAge } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isDoneTask, isOpenTask, isOverTask, isStartableTask } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { countTasksIn, statusesWhere } from "../../graph/tasks-in.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { abandonDocuments } from "../../project/document/record-file.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { removeFromReadHeads, unblockTasks, waitingForPlan, waitingForTask } from "../task/start.ts"
import { writeGraph } from "../write.ts"

export async function archivePlan(hive: Hive, caller: Caller, given: string) {
  const id = resolveId(hive.store.read().state, "plan", given)
  return writeGraph(hive, caller, (tx, at) => {
    const plan = tx.need("plan", id)
    const open = openTasksOf(tx, id)
    if (plan.status !== "abandoned" && open.length > 0) throw stillOpen(plan, open)
    const completed_at = plan.completed_at ?? at
    const archived = tx.set("plan", id, { status: "archived", completed_at, updated_at: at })
    leavePlan(tx, id, at)
    return { plan: archived, unblocked: unblockTasks(tx, waitingForPlan(tx, id), at) }
  })
}

function stillOpen({ title }: Plan, open: Task[]): HiveError {
  const named = open.slice(0, 3).map((task) => `"${task.title}" (${task.status})`)
  return new HiveError({
    code: "lifecycle",
    what: `The plan "${title}" was not archived.`,
    why: `The plan has ${counted(open.length, "open task")}: ${named.join(", ")}.`,
    use_instead: "Complete or fail these tasks first, or abandon the plan.",
    evidence: open.map((task) => shortId(task.id)).join(" "),
  })
}

/** Invalidates at once the open tasks that other plans wait for; the next session start invalidates the others. */
export async function abandonPlan(hive: Hive, caller: Caller, given: string, reason: string) {
  const id = resolveId(hive.store.read().state, "plan", given)
  return writeGraph(hive, caller, (tx, at) => {
    const plan = tx.set("plan", id, { status: "abandoned", reason, updated_at: at })
    const isWaitedFor = (task: Task) =>
      [...waitingForTask(tx, task.id)].some((other) => other.parent_plan_id !== id && !isOverTask(other))
    const invalidated = openTasksOf(tx, id).filter(isWaitedFor)
    for (const task of invalidated) invalidate(tx, task, at)
    abandonDocuments(tx, id, at)
    retireDecisions(tx, id, at)
    return { plan, invalidated }
  })
}

/** Invalidates open tasks of abandoned plans, in several writes so as not to block others. Returns how many. */
export async function purgeAbandoned(hive: Hive, caller: Caller): Promise<number> {
  const { state } = hive.store.read()
  const decisions: DecisionLookup = {
    undecided: () => state.mem.by("undecided", ALL),
    waiting: (id) => state.task.by("decisions", id),
    task: (id) => state.task.get(id),
  }
  const abandoned = Array.from(state.plan.by("status", "abandoned"), ({ id }) => id)
  const left = abandoned.filter(
    (id) =>
      decisionsOfPlan(decisions, id).length > 0 ||
      countTasksIn(state, "plan", id, isOpenTask) + state.trajectory.by("active_plan_id", id).size > 0,
  )
  let count = 0
  for (let isMore = left.length > 0; isMore; ) {
    const invalidated = await writeGraph(hive, caller, (tx, at) => {
      const leaving = left.flatMap((id) => openTasksOf(tx, id)).slice(0, MAX_AT_ONCE)
      for (const task of leaving) invalidate(tx, task, at)
      for (const id of left) {
        leavePlan(tx, id, at)
        retireDecisions(tx, id, at)
      }
      return leaving.length
    })
    count += invalidated
    isMore = invalidated === MAX_AT_ONCE
  }
  return count
}

/** Runs when a turn ends, because during the turn the agent may add tasks. A failed task keeps its plan open. */
export async function completeDonePlans(hive: Hive, caller: Caller): Promise<Plan[]> {
  const { state } = hive.store.read()
  const count = (id: string, isCounted: (task: Pick<Task, "status">) => boolean) =>
    countTasksIn(state, "plan", id, isCounted)
  const done = [...state.plan.by("status", "active")].filter(
    ({ id, purpose }) => purpose === "work" && count(id, isStartableTask) === 0 && count(id, isDoneTask) > 0,
  )
  if (done.length === 0) return []
  return writeGraph(hive, caller, (tx, at) =>
    done.flatMap(({ id }) => {
      // Another process may have added a task meanwhile.
      if (tx.need("plan", id).status !== "active" || openTasksOf(tx, id).length > 0) return []
      const plan = tx.set("plan", id, { status: "completed", completed_at: at, updated_at: at })
      unblockTasks(tx, waitingForPlan(tx, id), at)
      return [plan]
    }),
  )
}

export function reopenPlan(tx: Transaction, plan: Plan, at: string): Plan {
  if (plan.status !== "completed") return plan
  return tx.set("plan", plan.id, { status: "active", completed_at: null, updated_at: at })
}

interface DecisionLookup {
  undecided: () => Iterable<Mem>
  waiting: (decision: string) => Iterable<Task>
  task: (id: string) => Task | undefined
}

function decisionsOfPlan(get: DecisionLookup, plan: string): string[] {
  return [...get.undecided()].flatMap(({ id, origin_task_id }) => {
    const waiting = [...get.waiting(id)]
    const tasks = [get.task(origin_task_id ?? ""), ...waiting]
    const isOfPlan = tasks.some((task) => task?.parent_plan_id === plan)
    const isNeeded = waiting.some((task) => task.parent_plan_id !== plan && isOpenTask(task))
    return isOfPlan && !isNeeded ? [id] : []
  })
}

function retireDecisions(tx: Transaction, plan: string, at: string): void {
  const lookup: DecisionLookup = {
    undecided: () => [...tx.by("mem", "undecided", ALL)],
    waiting: (id) => tx.by("task", "decisions", id),
    task: (id) => tx.get("task", id),
  }
  for (const id of decisionsOfPlan(lookup, plan))
    tx.set("mem", id, { status: "superseded", reason: ABANDONED, updated_at: at })
}

function invalidate(tx: Transaction, task: Task, at: string): void {
  tx.set("task", task.id, { status: "invalidated", reason: ABANDONED, updated_at: at })
  removeFromReadHeads(tx, task.id, at)
}

function leavePlan(tx: Transaction, planId: string, at: string): void {
  const nowhere = { active_plan_id: null, active_phase_id: null, active_task_ids: [] }
  for (const head of [...tx.by("trajectory", "active_plan_id", planId)])
    tx.set("trajectory", head.id, { ...nowhere, updated_at: at })
}

function openTasksOf(tx: Transaction, planId: string): Task[] {
  return statusesWhere(isOpenTask)
    .flatMap((status) => [...tx.by("task", `plan ${status}`, planId)])
    .sort(byAge)
}

const ABANDONED = "the plan was abandoned"
const MAX_AT_ONCE = 500
