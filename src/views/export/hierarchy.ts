import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { ancestorsOf, type Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { groupsIn } from "../../graph/tasks-in.ts"
import { EXPORT_LIMITS, type SessionExport } from "../../schemas/export.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { firstBy } from "../../shared/first-by.ts"
import type { Pausing } from "../../shared/slices.ts"

type Hierarchy = SessionExport["hierarchy"]

/** The plan, phase and tasks around a read-head, each with its parent's id, and the anchors. The same graph gives the same order. */
export function* hierarchyOf(state: GraphState, place: Place): Pausing<Hierarchy> {
  const { plan, phase } = place
  return {
    plan: plan === undefined ? null : { id: plan.id, title: plan.title, status: plan.status },
    phase:
      phase === undefined || phase.parent_plan_id !== plan?.id
        ? null
        : { id: phase.id, title: phase.title, status: phase.status, plan_id: phase.parent_plan_id },
    tasks: (yield* tasksAround(state, place)).map((task) => ({
      id: task.id,
      title: task.title,
      status: task.status,
      at_hand: place.tasks.includes(task),
      plan_id: task.parent_plan_id,
      phase_id: task.parent_phase_id,
      parent_task_id: task.parent_task_id,
    })),
    anchors: [...state.anchor.by("kept", ALL)]
      .sort(byPriority)
      .slice(0, EXPORT_LIMITS.anchors)
      .map(({ id, key, priority, status, related_to }) => ({ id, key, priority, status, related_to })),
  }
}

/** At hand and what they are part of, then the open ones of the phase, then the finished ones, newest first. */
function* tasksAround(state: GraphState, { plan, phase, tasks }: Place): Pausing<Task[]> {
  const near = [...tasks, ...tasks.flatMap((task) => ancestorsOf(state, task))]
  const place = phase === undefined ? "plan" : "phase"
  const beside = (isWanted: (task: Pick<Task, "status">) => boolean): Task[] =>
    groupsIn(state, place, phase?.id ?? plan?.id ?? "", isWanted).flatMap((group) => [...group])
  const isOver = (task: Pick<Task, "status">) => isOverTask(task) && task.status !== "invalidated"
  const open = yield* firstBy(byTime, EXPORT_LIMITS.tasks, beside(isOpenTask))
  const over = yield* firstBy((a, b) => byTime(b, a), EXPORT_LIMITS.tasks, beside(isOver))
  return [...new Set([...near, ...open, ...over])]
    .filter(({ parent_plan_id }) => parent_plan_id === plan?.id)
    .slice(0, EXPORT_LIMITS.tasks)
}

function byTime(a: Task, b: Task): number {
  return compare(a.updated_at, b.updated_at) || compare(a.id, b.id)
}

function byPriority(a: Anchor, b: Anchor): number {
  return PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.key.localeCompare(b.key)
}

const PRIORITIES: readonly Anchor["priority"][] = ["critical", "high", "medium", "low"]
