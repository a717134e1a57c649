import { byAge } from "../../graph/by-age.ts"
import { levelOf } from "../../graph/indexes.ts"
import { intentOf } from "../../graph/intent.ts"
import { isOpenTask } from "../../graph/lifecycle.ts"
import { ancestorsOf, type Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { tasksIn } from "../../graph/tasks-in.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { merge } from "../../shared/merge.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { describePhase, describePlan, describeTask, descriptionHash } from "./description.ts"
import { wordings } from "./fit.ts"
import type { Item } from "./item.ts"
import { planWaits, taskWaits, waitsText } from "./waits.ts"

/** Read-head, plan, phase, tasks at hand, what they wait for, and what comes next. */
export function chainItems(
  state: GraphState,
  head: Trajectory | undefined,
  place: Place,
  isScoped: boolean,
  files: FileLook,
): Item[] {
  const { plan, phase, tasks } = place
  return [
    headItem(state, head, place),
    ...(plan === undefined ? [] : [planItem(state, plan, files)]),
    ...(phase === undefined || phase.inbox || isScoped ? [] : [phaseItem(state, phase)]),
    ...tasks.flatMap((task) => taskItems(state, task)),
    ...(isScoped ? [] : nextItems(state, place)),
  ]
}

function headItem(state: GraphState, head: Trajectory | undefined, { plan, phase, tasks }: Place): Item {
  const shown = {
    plan: plan && shortId(plan.id),
    phase: phase && shortId(phase.id),
    task: tasks.map((task) => shortId(task.id)).join(" "),
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

function planItem(state: GraphState, plan: Plan, files: FileLook): Item {
  const description = describePlan(state, plan, files)
  const identity = { id: shortId(plan.id) }
  const waits = planWaits(state, plan)
  const shown = {
    ...identity,
    status: plan.status,
    waits_for: waits.waits_for,
    ...description.attributes,
  }
  return {
    kind: "plan",
    id: plan.id,
    role: "plan",
    identity,
    status: plan.status,
    waits: waitsText(waits),
    description: descriptionHash(description),
    section: "chain",
    worth: 940,
    reason: "the active plan",
    ...wordings(WIDTHS, (max) => element("plan", shown, shorten(description.words, max))),
  }
}

function phaseItem(state: GraphState, phase: Phase): Item {
  const identity = { id: shortId(phase.id) }
  const description = describePhase(state, phase)
  const shown = { ...identity, status: phase.status, ...description.attributes }
  return {
    kind: "phase",
    id: phase.id,
    role: "phase",
    identity,
    status: phase.status,
    description: descriptionHash(description),
    section: "chain",
    worth: 930,
    reason: "the active phase",
    ...wordings(SHORT_WIDTHS, (max) => element("phase", shown, shorten(phase.title, max))),
  }
}

/** A task at hand, what it waits for, its parents and its parts. */
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

/** What can be taken up after the task at hand: open tasks beside it, then of the plan. */
function nextItems(state: GraphState, { plan, tasks }: Place): Item[] {
  const shown = new Set(tasks.map(({ id }) => id))
  const items: Item[] = []
  const show = (list: Iterable<Task>, worth: number, reason: string) => {
    for (const task of list) {
      if (items.length >= MAX_NEXT) return
      // The parts of a task at hand are shown with it.
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
): Item {
  const isAtHand = role === "task"
  const description = describeTask(task, isAtHand)
  const waits = taskWaits(state, task)
  const identity = { id: shortId(task.id) }
  const shown = {
    ...identity,
    status: task.status,
    ...description.attributes,
    // At hand, each has an element of its own.
    waits_for: isAtHand ? undefined : waits.waits_for,
    needs_decision: waits.needs_decision,
  }
  return {
    kind: "task",
    id: task.id,
    role,
    identity,
    status: task.status,
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

const WIDTHS = [700, 160, 60]
const SHORT_WIDTHS = [700, 160]
const MAX_NEXT = 8
