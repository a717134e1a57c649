import { byAge, compare } from "../../graph/by-age.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { isBlockedTask, isOpenTask, isOverTask, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { sessionOf } from "../../graph/read-head.ts"
import { uniqueId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { spentOnTask, spentShort } from "./costs.ts"
import { EVERYTHING, hasWords, pageWith, requireListed } from "./page.ts"
import { filesOf } from "./plans.ts"
import { refusalsOf } from "./refusals.ts"

export type TaskRow = ReturnType<typeof rowOf>
export type TaskDetail = Awaited<ReturnType<typeof taskDetail>>

export interface TaskFilter {
  status?: Task["status"] | "open" | "over"
  /** The id of a plan, or the start of its id. */
  plan?: string
  /** The host id of the session that the task is assigned to. */
  session?: string
  words?: string
}

/** Tasks under way first, then waiting ones, then finished ones; in each group the most recently changed first. */
export function listTasks(
  hive: Hive,
  { status, plan, session, words }: TaskFilter = {},
  paging = EVERYTHING,
) {
  const { state } = hive.store.read()
  const inPlan = plan === undefined ? undefined : requireListed(state, "plan", plan).id
  const tasks = inPlan === undefined ? state.task.values() : state.task.by("parent_plan_id", inPlan)
  const found = [...tasks]
    .filter((task) => !isUnplanned(task) && isWanted(task, status) && hasWords(words, task.title))
    .filter((task) => session === undefined || task.assigned_session_id === session)
    .sort((a, b) => groupOf(a) - groupOf(b) || compare(b.updated_at, a.updated_at) || byAge(a, b))
  return pageWith(found, paging, (task) => rowOf(state, task))
}

export async function taskDetail(hive: Hive, given: string) {
  const { state } = hive.store.read()
  const task = requireListed(state, "task", given)
  return {
    ...rowOf(state, task),
    record: task,
    did: [...state.checkpoint.by("task_id", task.id)],
    files: filesOf(state, [task]),
    parts: [...state.task.by("parent_task_id", task.id)].map((part) => rowOf(state, part)),
    mems: [...state.mem.by("origin_task_id", task.id)],
    delegations: [...state.delegation.by("task_id", task.id)],
    refusals: refusalsOf(hive, { task: task.id }),
    spent: spentShort(await spentOnTask(hive, task.id)),
  }
}

function rowOf(state: GraphState, task: Task) {
  const { id, title, status, assigned_to, assigned_session_id, updated_at } = task
  const plan = state.plan.get(task.parent_plan_id)
  const phase = state.phase.get(task.parent_phase_id)
  const [obstacle] = isBlockedTask(task) ? obstaclesOf(task, lookupIn(state)) : []
  return {
    ...{ id, short: uniqueId(state, id), title, status },
    plan: plan === undefined ? null : { id: plan.id, title: plan.title },
    phase: phase === undefined || phase.inbox ? null : phase.title,
    // The stamp (or host id) of the session that works on the task.
    held_by: isTaskUnderWay(task)
      ? (sessionOf(state, assigned_session_id)?.stamp ?? assigned_session_id)
      : null,
    assigned_to,
    // The first reason why the task cannot start.
    waits: obstacle?.why ?? null,
    checkpoints: state.checkpoint.by("task_id", id).size,
    updated_at,
  }
}

function isWanted(task: Task, status: TaskFilter["status"]): boolean {
  if (status === undefined) return true
  if (status === "open") return isOpenTask(task)
  return status === "over" ? isOverTask(task) : task.status === status
}

const groupOf = (task: Task): number => (isTaskUnderWay(task) ? 0 : isOpenTask(task) ? 1 : 2)
