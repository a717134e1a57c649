import { byAge } from "../../graph/by-age.ts"
import { levelOf } from "../../graph/indexes.ts"
import { isOpenPlan, isOpenTask } from "../../graph/lifecycle.ts"
import { ancestorsOf, type Place } from "../../graph/place.ts"
import { intentOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { openPlans, tasksIn } from "../../graph/tasks-in.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { merge } from "../../shared/sorting.ts"
import { callText } from "../../shared/tool-names.ts"
import {
  type Description,
  describePhase,
  describePlan,
  describeTask,
  descriptionHash,
  waitsText,
} from "./description.ts"
import { type Item, itemOf } from "./item.ts"

/** Items for read-head, plan, phase, current tasks, their dependencies and next tasks; for all open plans if none is active. */
export function chainItems(
  state: GraphState,
  head: Trajectory | undefined,
  place: Place,
  isScoped: boolean,
  files: FileStatusLookup,
): Item[] {
  const { plan, phase, tasks } = place
  const open = !isOpenPlan(plan) && !isScoped ? openPlanItems(state, files) : []
  return [
    headItem(state, head, place, open.length > 0),
    ...open,
    ...(plan === undefined ? [] : [planItem(state, plan, files, "plan", 940, "the active plan")]),
    ...(phase === undefined || phase.inbox || isScoped ? [] : [phaseItem(state, phase)]),
    ...tasks.flatMap((task) => taskItems(state, task)),
    ...(isScoped ? [] : nextItems(state, place)),
  ]
}

function headItem(
  state: GraphState,
  head: Trajectory | undefined,
  { plan, phase, tasks }: Place,
  isPlanWanted: boolean,
): Item {
  return itemOf("head", {
    id: "",
    identity: {},
    shown: {
      plan: plan && shortId(plan.id),
      phase: phase && shortId(phase.id),
      task: tasks.map((task) => shortId(task.id)).join(" "),
      take_up: isPlanWanted ? TAKE_UP : undefined,
      moved: head?.intent_shift_at ? "to follow the user's words" : undefined,
    },
    words: intentOf(state, head) ?? "",
    widths: WIDTHS,
    worth: 1000,
    reason: "the read-head",
  })
}

/** Each open plan is followed by its tasks; the plan that was worked on last comes first. */
function openPlanItems(state: GraphState, files: FileStatusLookup): Item[] {
  return openPlans(state).flatMap(({ plan, next }, n) => {
    const worth = 758 - 8 * n
    return [
      planItem(
        state,
        plan,
        files,
        "open_plan",
        worth,
        "open plan, shown because this session has no current plan",
      ),
      ...next.map((task, m) =>
        taskItem(state, task, "next", worth - 1 - m, "open in a plan that no session works on", plan),
      ),
    ]
  })
}

function planItem(
  state: GraphState,
  plan: Plan,
  files: FileStatusLookup,
  role: "plan" | "open_plan",
  worth: number,
  reason: string,
): Item {
  const description = describePlan(state, plan, files)
  const { status, waits, attributes } = description
  return itemOf(role, {
    ...recordFacts(plan, description),
    waits: waitsText(waits),
    shown: { id: shortId(plan.id), status, waits_for: waits.waits_for, ...attributes },
    widths: WIDTHS,
    worth,
    reason,
  })
}

function phaseItem(state: GraphState, phase: Phase): Item {
  const description = describePhase(state, phase)
  const { status, attributes } = description
  return itemOf("phase", {
    ...recordFacts(phase, description),
    shown: { id: shortId(phase.id), status, ...attributes },
    widths: SHORT_WIDTHS,
    worth: 930,
    reason: "the active phase",
  })
}

function recordFacts({ id }: Plan | Phase | Task, description: Description) {
  const { status, words } = description
  return { id, identity: { id: shortId(id) }, status, words, description: descriptionHash(description) }
}

function taskItems(state: GraphState, task: Task): Item[] {
  const gate = task.temporal_gate
  return [
    taskItem(state, task, "task", 950, "the task at hand"),
    ...task.depends_on.map((id) =>
      waitItem(state, task, id, "depends", "the current task depends on this task"),
    ),
    ...(gate === null ? [] : [waitItem(state, task, gate.after_task_id, "gate", gate.reason)]),
    ...ancestorsOf(state, task).map((parent) =>
      taskItem(state, parent, "parent", 900, "a parent of the task at hand"),
    ),
    ...Array.from(tasksIn(state, "level", task.id, isOpenTask), (child) =>
      taskItem(state, child, "subtask", 780, "part of the task at hand"),
    ),
  ]
}

function nextItems(state: GraphState, { plan, tasks }: Place): Item[] {
  const shown = new Set(tasks.map(({ id }) => id))
  const items: Item[] = []
  const show = (list: Iterable<Task>, worth: number, reason: string) => {
    for (const task of list) {
      if (items.length >= MAX_NEXT) return
      if (shown.has(task.id) || tasks.some(({ id }) => id === task.parent_task_id)) continue
      shown.add(task.id)
      items.push(taskItem(state, task, "next", worth - items.length, reason))
    }
  }
  const levels = [...new Set(tasks.map(levelOf))]
  const beside = levels.map((level) => tasksIn(state, "level", level, isOpenTask))
  show(merge(beside, byAge), 760, "at the same level as the task at hand")
  if (plan !== undefined) show(tasksIn(state, "plan", plan.id, isOpenTask), 740, "open in the plan")
  return items
}

function taskItem(
  state: GraphState,
  task: Task,
  role: "task" | "parent" | "subtask" | "next",
  worth: number,
  reason: string,
  plan?: Plan,
): Item {
  const isAtHand = role === "task"
  const description = describeTask(state, task, isAtHand)
  const { status, waits, attributes } = description
  return itemOf(role, {
    ...recordFacts(task, description),
    waits: waitsText(waits),
    shown: {
      id: shortId(task.id),
      plan: plan && shortId(plan.id),
      status,
      ...attributes,
      // For a current task, each dependency is an element of its own (`depends`).
      waits_for: isAtHand ? undefined : waits.waits_for,
      needs_decision: waits.needs_decision,
    },
    widths: isAtHand ? WIDTHS : SHORT_WIDTHS,
    worth,
    reason,
  })
}

function waitItem(state: GraphState, task: Task, on: string, role: "depends" | "gate", reason: string): Item {
  const other = state.task.get(on)
  const identity = { task: shortId(task.id), on: shortId(on) }
  const title = other?.title ?? ""
  return itemOf(role, {
    id: task.id,
    on,
    identity,
    shown: { ...identity, status: other?.status ?? "missing" },
    words: role === "gate" ? `${title}: ${reason}` : title,
    widths: SHORT_WIDTHS,
    worth: 920,
    reason,
  })
}

const TAKE_UP = `${callText("task", "start")} with the task_id of a next element`
const WIDTHS = [700, 160, 60]
const SHORT_WIDTHS = [700, 160]
const MAX_NEXT = 8
