import { compare } from "../../graph/by-age.ts"
import { isDoneTask, isGivenUpTask, isOpenPlan, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { countTasksIn } from "../../graph/tasks-in.ts"
import { uniqueId } from "../../graph/unique-id.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { sessionStanding } from "../../work/session/standing.ts"
import { ledgerOf } from "../cost/ledger.ts"
import { requireListed } from "./find.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"
import { type RefusalRow, refusalsOf } from "./refusals.ts"
import { type SpentShort, spentShort } from "./spent.ts"

/** A plan in a list. */
export interface PlanRow {
  id: string
  /** The start of the id, enough for every command. */
  short: string
  title: string
  status: Plan["status"]
  /** Not done, put away or given up. */
  isOpen: boolean
  tasks: { all: number; done: number; given_up: number; under_way: number }
  /** The stamps of open sessions that are at it. */
  sessions: string[]
  branch: string | null
  created_at: string
  updated_at: string
}

export interface PlanFilter {
  status?: Plan["status"] | "open" | "over"
  words?: string
}

/** Everything that is known about one plan. */
export interface PlanDetail extends PlanRow {
  record: Plan
  /** Files that its checkpoints wrote, the last ones first. */
  files: string[]
  mems: Mem[]
  refusals: RefusalRow[]
  spent: SpentShort | null
}

/** All plans: the open ones first, each group by what was changed last. */
export function listPlans(
  hive: Hive,
  { status, words }: PlanFilter = {},
  paging: Paging = EVERYTHING,
): Page<PlanRow> {
  const { state } = hive.store.read()
  const atWork = sessionsByPlan(state)
  const plans = [...state.plan.values()]
    .filter((plan) => isWanted(plan, status) && hasWords(words, plan.title))
    .sort((a, b) => Number(isOpenPlan(b)) - Number(isOpenPlan(a)) || compare(b.updated_at, a.updated_at))
  return pageWith(plans, paging, (plan) => rowOf(state, plan, atWork))
}

export async function planDetail(hive: Hive, given: string): Promise<PlanDetail> {
  const { state } = hive.store.read()
  const plan = requireListed(state, "plan", given)
  const tasks = [...state.task.by("parent_plan_id", plan.id)]
  const ids = new Set(tasks.map(({ id }) => id))
  const line = (await ledgerOf(hive)).plans.find(({ id }) => id === plan.id)
  return {
    ...rowOf(state, plan, sessionsByPlan(state)),
    record: plan,
    files: filesOf(state, tasks),
    mems: tasks.flatMap(({ id }) => [...state.mem.by("origin_task_id", id)]),
    refusals: refusalsOf(hive, {}).filter(({ task }) => task !== null && ids.has(task)),
    spent: spentShort(line?.spent),
  }
}

/** What these tasks wrote, the last first. */
export function filesOf(state: GraphState, tasks: readonly Task[]): string[] {
  const checkpoints = tasks.flatMap(({ id }) => [...state.checkpoint.by("task_id", id)])
  const written = checkpoints.filter(({ ok }) => ok).sort((a, b) => compare(b.created_at, a.created_at))
  return [...new Set(written.flatMap(({ files }) => files))]
}

function rowOf(state: GraphState, plan: Plan, atWork: ReadonlyMap<string, string[]>): PlanRow {
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
    sessions: atWork.get(id) ?? [],
    ...{ branch, created_at, updated_at },
  }
}

function sessionsByPlan(state: GraphState): Map<string, string[]> {
  const stamps = new Map<string, string[]>()
  for (const session of state.session.values()) {
    const isAtWork = sessionStanding(state, session) === "open"
    const plan = isAtWork ? headOf(state, session.host_id)?.active_plan_id : null
    if (plan != null) stamps.set(plan, [...(stamps.get(plan) ?? []), session.stamp])
  }
  return stamps
}

function isWanted(plan: Plan, status: PlanFilter["status"]): boolean {
  if (status === undefined) return true
  if (status === "open" || status === "over") return isOpenPlan(plan) === (status === "open")
  return plan.status === status
}
