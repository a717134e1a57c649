import { compare } from "../../graph/by-age.ts"
import { isDoneTask, isGivenUpTask, isOpenPlan, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { headIdOf } from "../../graph/read-head.ts"
import { uniqueId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import { countTasksIn, openPlans } from "../../graph/tasks-in.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { sessionStanding } from "../../work/session/status.ts"
import { ledgerOf, spentShort } from "./costs.ts"
import { EVERYTHING, hasWords, pageWith, requireListed } from "./page.ts"
import { refusalsOf } from "./refusals.ts"

export type PlanRow = ReturnType<typeof planRow>
export type PlanDetail = Awaited<ReturnType<typeof planDetail>>

export interface PlanFilter {
  status?: Plan["status"] | "open" | "over"
  words?: string
}

/** All plans, open ones first, then the most recently changed. */
export function listPlans(hive: Hive, { status, words }: PlanFilter = {}, paging = EVERYTHING) {
  const { state } = hive.store.read()
  const atWork = sessionsByPlan(state)
  const plans = [...state.plan.values()]
    // Unplanned work is not listed by plan, but by session (`unplannedWork`).
    .filter(({ purpose }) => purpose !== "unplanned")
    .filter((plan) => isWanted(plan, status) && hasWords(words, plan.title))
    .sort((a, b) => Number(isOpenPlan(b)) - Number(isOpenPlan(a)) || compare(b.updated_at, a.updated_at))
  return pageWith(plans, paging, (plan) => planRow(state, plan, atWork))
}

/** The open plans with their next tasks, most recently worked on first. */
export function listOpenPlans({ store }: Hive) {
  const { state } = store.read()
  const atWork = sessionsByPlan(state)
  return openPlans(state).map(({ plan, next, lastWorked }) => ({
    ...planRow(state, plan, atWork),
    updated_at: lastWorked,
    next: next.map(({ id, title, status }) => ({ id, short: uniqueId(state, id), title, status })),
  }))
}

export async function planDetail(hive: Hive, given: string) {
  const { state } = hive.store.read()
  const plan = requireListed(state, "plan", given)
  const tasks = [...state.task.by("parent_plan_id", plan.id)]
  const ids = new Set(tasks.map(({ id }) => id))
  const line = (await ledgerOf(hive)).plans.find(({ id }) => id === plan.id)
  return {
    ...planRow(state, plan),
    record: plan,
    // The files that the plan's tasks wrote, newest first.
    files: filesOf(state, tasks),
    mems: tasks.flatMap(({ id }) => [...state.mem.by("origin_task_id", id)]),
    refusals: refusalsOf(hive, {}).filter(({ task }) => task !== null && ids.has(task)),
    spent: spentShort(line?.spent),
  }
}

export function filesOf(state: GraphState, tasks: readonly Task[]): string[] {
  const checkpoints = tasks.flatMap(({ id }) => [...state.checkpoint.by("task_id", id)])
  const written = checkpoints.filter(({ ok }) => ok).sort((a, b) => compare(b.created_at, a.created_at))
  return [...new Set(written.flatMap(({ files }) => files))]
}

export function planRow(state: GraphState, plan: Plan, atWork = sessionsByPlan(state)) {
  const { id, title, status, branch, created_at, updated_at } = plan
  const count = (isCounted: (task: Pick<Task, "status">) => boolean) =>
    countTasksIn(state, "plan", id, isCounted)
  return {
    ...{ id, short: uniqueId(state, id), title, status, isOpen: isOpenPlan(plan) },
    tasks: {
      all: count(() => true),
      done: count(isDoneTask),
      given_up: count(isGivenUpTask),
      under_way: count(isTaskUnderWay),
    },
    // The stamps of the open sessions that work on the plan.
    sessions: atWork.get(id) ?? [],
    ...{ branch, created_at, updated_at },
  }
}

function sessionsByPlan(state: GraphState): Map<string, string[]> {
  const stamps = new Map<string, string[]>()
  for (const session of state.session.values()) {
    const isAtWork = sessionStanding(state, session) === "open"
    const plan = isAtWork ? state.trajectory.get(headIdOf(session.host_id))?.active_plan_id : null
    if (plan != null) stamps.set(plan, [...(stamps.get(plan) ?? []), session.stamp])
  }
  return stamps
}

function isWanted(plan: Plan, status: PlanFilter["status"]): boolean {
  if (status === undefined) return true
  if (status === "open" || status === "over") return isOpenPlan(plan) === (status === "open")
  return plan.status === status
}
