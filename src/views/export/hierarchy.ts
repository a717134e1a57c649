import { isAnchorKept, isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { ancestorsOf, type Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { EXPORT_LIMITS, type SessionExport } from "../../schemas/export.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"

type Hierarchy = SessionExport["hierarchy"]

/** The plan, phase and tasks around a read-head, each with its parent's id, and the anchors. The same graph gives the same order. */
export function hierarchyOf(state: GraphState, place: Place): Hierarchy {
  const { plan, phase } = place
  return {
    plan: plan === undefined ? null : { id: plan.id, title: plan.title, status: plan.status },
    phase:
      phase === undefined || phase.parent_plan_id !== plan?.id
        ? null
        : { id: phase.id, title: phase.title, status: phase.status, plan_id: phase.parent_plan_id },
    tasks: tasksAround(state, place).map((task) => ({
      id: task.id,
      title: task.title,
      status: task.status,
      at_hand: place.tasks.includes(task),
      plan_id: task.parent_plan_id,
      phase_id: task.parent_phase_id,
      parent_task_id: task.parent_task_id,
    })),
    anchors: [...state.anchor.values()]
      .filter(isAnchorKept)
      .sort(byPriority)
      .slice(0, EXPORT_LIMITS.anchors)
      .map(({ id, key, priority, status, related_to }) => ({ id, key, priority, status, related_to })),
  }
}

/** At hand and what they are part of, then the open ones of the phase, then the finished ones, newest first. */
function tasksAround(state: GraphState, { plan, phase, tasks }: Place): Task[] {
  const near = [...tasks, ...tasks.flatMap((task) => ancestorsOf(state, task))]
  const beside: Task[] = []
  for (const task of state.task.values()) {
    const isBeside =
      phase === undefined ? task.parent_plan_id === plan?.id : task.parent_phase_id === phase.id
    if (isBeside && task.status !== "invalidated") beside.push(task)
  }
  const open = beside.filter(isOpenTask).sort(byTime)
  const over = beside.filter(isOverTask).sort((a, b) => byTime(b, a))
  return [...new Set([...near, ...open, ...over])]
    .filter(({ parent_plan_id }) => parent_plan_id === plan?.id)
    .slice(0, EXPORT_LIMITS.tasks)
}

function byTime(a: Task, b: Task): number {
  return a.updated_at.localeCompare(b.updated_at) || a.id.localeCompare(b.id)
}

function byPriority(a: Anchor, b: Anchor): number {
  return PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.key.localeCompare(b.key)
}

const PRIORITIES: readonly Anchor["priority"][] = ["critical", "high", "medium", "low"]
