import { byAge, compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isBlockedTask, isOpenDecision, isOpenTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { shortId } from "../../shared/ids.ts"
import { planDetail } from "../../views/lists/plans.ts"
import { listTasks, taskDetail } from "../../views/lists/tasks.ts"

export async function planAnswer(hive: Hive, id: string) {
  const plan = await planDetail(hive, id)
  const { state } = hive.store.read()
  const rows = new Map(listTasks(hive, { plan: plan.id }).items.map((row) => [row.id, row]))
  // The plan's own order: the page shows it, and its Move buttons change it.
  const tasks = [...state.task.by("parent_plan_id", plan.id)].sort(byAge)
  // Task `from` has to be done before task `to`.
  const edges: { from: string; to: string; why: "depends_on" | "gate" | "part" }[] = []
  for (const task of tasks) {
    for (const from of task.depends_on) edges.push({ from, to: task.id, why: "depends_on" })
    if (task.temporal_gate !== null)
      edges.push({ from: task.temporal_gate.after_task_id, to: task.id, why: "gate" })
    if (task.parent_task_id !== null) edges.push({ from: task.id, to: task.parent_task_id, why: "part" })
  }
  return { plan, tasks: tasks.flatMap(({ id: each }) => rows.get(each) ?? []), edges }
}

export async function taskAnswer(hive: Hive, id: string) {
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

/** Decisions that wait for a person, oldest first, with the tasks that each blocks. */
export function openDecisions(state: GraphState) {
  const open = [...state.mem.by("in_force", ALL)].filter(isOpenDecision)
  const kept = new Map<string, { id: string; title: string }[]>(open.map(({ id }) => [id, []]))
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
