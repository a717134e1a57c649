import { byAge } from "../../graph/by-age.ts"
import type { Hive } from "../../hive/hive.ts"
import { listPlans, planDetail } from "../../views/look/plans.ts"
import { listTasks } from "../../views/look/tasks.ts"
import type { PlansView, PlanView } from "./model.ts"

export function plansAnswer(hive: Hive): PlansView {
  return listPlans(hive, {}, { limit: MAX_PLANS, page: 1 })
}

/** A plan with its tasks, and what has to be done before what. */
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
