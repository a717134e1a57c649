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
import { element, shorten } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import {
  describePhase,
  describePlan,
  describeTask,
  descriptionHash,
  planWaits,
  taskWaits,
  waitsText,
} from "./description.ts"
import { type Item, wordings } from "./item.ts"

/** Read-head, plan, phase, tasks at hand, their dependencies, and next tasks. Without an open plan: the open plans. */
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
    ...(plan === undefined ? [] : [planItem(state, plan, files)]),
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
  const shown = {
    plan: plan && shortId(plan.id),
    phase: phase && shortId(phase.id),
    task: tasks.map((task) => shortId(task.id)).join(" "),
    take_up: isPlanWanted ? TAKE_UP : undefined,
    moved: head?.intent_shift_at ? "to follow the user's words" : undefined,
  }
  return {
    kind: "head",
    id: "",
    role: "head",
    identity: {},
    section: "head",
    worth: 1000,
    reason: "the read-head",
    ...wordings(WIDTHS, (max) => element("head", shown, shorten(intentOf(state, head) ?? "", max))),
  }
}

/** Each plan is followed by its tasks, the last worked plan first. */
function openPlanItems(state: GraphState, files: FileStatusLookup): Item[] {
  return openPlans(state).flatMap(({ plan, next }, n) => {
    const worth = 758 - 8 * n
    const item = planItem(state, plan, files, "open_plan")
    return [
      { ...item, section: "next", worth, reason: "an open plan, and none is at hand" },
      ...next.map((task, m) =>
        taskItem(state, task, "next", worth - 1 - m, "open in a plan without a session", plan),
      ),
    ]
  })
}

function planItem(
  state: GraphState,
  plan: Plan,
  files: FileStatusLookup,
  role: "plan" | "open_plan" = "plan",
): Item {
  const { id, status } = plan
  const description = describePlan(state, plan, files)
  const identity = { id: shortId(id) }
  const waits = planWaits(state, plan)
  const shown = { ...identity, status, waits_for: waits.waits_for, ...description.attributes }
  return {
    kind: "plan",
    id,
    role,
    identity,
    status,
    waits: waitsText(waits),
    description: descriptionHash(description),
    section: "chain",
    worth: 940,
    reason: "the active plan",
    ...wordings(WIDTHS, (max) => element(role, shown, shorten(description.words, max))),
  }
}

function phaseItem(state: GraphState, phase: Phase): Item {
  const { id, status } = phase
  const identity = { id: shortId(id) }
  const description = describePhase(state, phase)
  const shown = { ...identity, status, ...description.attributes }
  return {
    kind: "phase",
    id,
    role: "phase",
    identity,
    status,
    description: descriptionHash(description),
    section: "chain",
    worth: 930,
    reason: "the active phase",
    ...wordings(SHORT_WIDTHS, (max) => element("phase", shown, shorten(phase.title, max))),
  }
}

/** A task at hand, its dependencies, its parents and its parts. */
function taskItems(state: GraphState, task: Task): Item[] {
  const gate = task.temporal_gate
  return [
    taskItem(state, task, "task", 950, "the task at hand"),
    ...task.depends_on.map((id) => waitItem(state, task, id, "depends", "it depends on this")),
    ...(gate === null ? [] : [waitItem(state, task, gate.after_task_id, "gate", gate.reason)]),
    ...ancestorsOf(state, task).map((parent) =>
      taskItem(state, parent, "parent", 900, "a parent of the task at hand"),
    ),
    ...Array.from(tasksIn(state, "level", task.id, isOpenTask), (child) =>
      taskItem(state, child, "subtask", 780, "part of the task at hand"),
    ),
  ]
}

/** Open tasks beside the tasks at hand, then of the plan. */
function nextItems(state: GraphState, { plan, tasks }: Place): Item[] {
  const shown = new Set(tasks.map(({ id }) => id))
  const items: Item[] = []
  const show = (list: Iterable<Task>, worth: number, reason: string) => {
    for (const task of list) {
      if (items.length >= MAX_NEXT) return
      // Parts of a task at hand are shown with it.
      if (shown.has(task.id) || tasks.some(({ id }) => id === task.parent_task_id)) continue
      shown.add(task.id)
      items.push(taskItem(state, task, "next", worth - items.length, reason))
    }
  }
  const levels = [...new Set(tasks.map(levelOf))]
  const beside = levels.map((level) => tasksIn(state, "level", level, isOpenTask))
  show(merge(beside, byAge), 760, "beside the task at hand")
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
  const { id, status } = task
  const isAtHand = role === "task"
  const description = describeTask(task, isAtHand)
  const waits = taskWaits(state, task)
  const identity = { id: shortId(id) }
  const shown = {
    ...identity,
    plan: plan && shortId(plan.id),
    status,
    ...description.attributes,
    // The dependencies of a task at hand have elements of their own.
    waits_for: isAtHand ? undefined : waits.waits_for,
    needs_decision: waits.needs_decision,
  }
  return {
    kind: "task",
    id,
    role,
    identity,
    status,
    waits: waitsText(waits),
    description: descriptionHash(description),
    section: isAtHand || role === "parent" ? "chain" : "next",
    worth,
    reason,
    ...wordings(isAtHand ? WIDTHS : SHORT_WIDTHS, (max) =>
      element(role, shown, shorten(description.words, max)),
    ),
  }
}

function waitItem(state: GraphState, task: Task, on: string, role: "depends" | "gate", reason: string): Item {
  const other = state.task.get(on)
  const identity = { task: shortId(task.id), on: shortId(on) }
  const shown = { ...identity, status: other?.status ?? "missing" }
  const title = role === "gate" ? `${other?.title ?? ""}: ${reason}` : (other?.title ?? "")
  return {
    kind: "wait",
    id: task.id,
    role,
    on,
    identity,
    section: "chain",
    worth: 920,
    reason,
    ...wordings(SHORT_WIDTHS, (max) => element(role, shown, shorten(title, max))),
  }
}

const TAKE_UP = `${callText("task", "start")} with the task_id of a next`
const WIDTHS = [700, 160, 60]
const SHORT_WIDTHS = [700, 160]
const MAX_NEXT = 8
