import { byAge, compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isBlockedTask, isOpenDecision, isOpenTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { shortId } from "../../shared/ids.ts"
import { listPlans, planDetail } from "../../views/lists/plans.ts"
import { listTasks, taskDetail } from "../../views/lists/tasks.ts"
import type { OpenDecision, PlansView, PlanView, TaskView } from "./model.ts"

export function plansAnswer(hive: Hive): PlansView {
  return listPlans(hive, {}, { limit: MAX_PLANS, page: 1 })
}

/** A plan with its tasks and their dependencies. */
export async function planAnswer(hive: Hive, id: string): Promise<PlanView> {
  const plan = await planDetail(hive, id)
  const { state } = hive.store.read()
  const rows = new Map(listTasks(hive, { plan: plan.id }).items.map((row) => [row.id, row]))
  // A person moves a task past those beside it, so the page has them in the order that this changes.
  const tasks = [...state.task.by("parent_plan_id", plan.id)].sort(byAge)
  const edges: PlanView["edges"] = []
  for (const task of tasks) {
    for (const from of task.depends_on) edges.push({ from, to: task.id, why: "depends_on" })
    if (task.temporal_gate !== null)
      edges.push({ from: task.temporal_gate.after_task_id, to: task.id, why: "gate" })
    if (task.parent_task_id !== null) edges.push({ from: task.id, to: task.parent_task_id, why: "part" })
  }
  return { plan, tasks: tasks.flatMap(({ id: each }) => rows.get(each) ?? []), edges }
}

const MAX_PLANS = 200

/** One task with all its records and its obstacles. */
export async function taskAnswer(hive: Hive, id: string): Promise<TaskView> {
  const detail = await taskDetail(hive, id)
  const { state } = hive.store.read()
  const obstacles = isBlockedTask(detail.record) ? obstaclesOf(detail.record, lookupIn(state)) : []
  return {
    ...detail,
    obstacles: obstacles.map(({ kind, why, on }) => {
      const record = on === undefined ? undefined : state[on.kind].get(on.id)
      const title = record === undefined ? undefined : "title" in record ? record.title : record.content
      return {
        why,
        on: on === undefined ? null : { ...on, title: title ?? shortId(on.id) },
        isDecision: kind === "decision",
      }
    }),
  }
}

/** Decisions that a person has to take, the oldest first, with the tasks that they block. */
export function openDecisions(state: GraphState): OpenDecision[] {
  const open = [...state.mem.by("in_force", ALL)].filter(isOpenDecision)
  const kept = new Map<string, OpenDecision["keeps"]>(open.map(({ id }) => [id, []]))
  for (const task of state.task.values()) {
    if (!isOpenTask(task)) continue
    for (const id of task.decisions) kept.get(id)?.push({ id: task.id, title: task.title })
  }
  return open
    .sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
    .slice(0, MAX_SHOWN)
    .map(({ id, content, created_at }) => ({
      id,
      content,
      at: created_at,
      keeps: (kept.get(id) ?? []).slice(0, MAX_SHOWN),
    }))
}

const MAX_SHOWN = 20
