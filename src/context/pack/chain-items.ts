import { byAge } from "../../graph/by-age.ts"
import { isDoneTask, isOpenTask } from "../../graph/lifecycle.ts"
import { ancestorsOf, childrenOf, type Place, siblingsOf } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import type { Item } from "./item.ts"
import { planDocument } from "./plan-document.ts"

/** Read-head, plan, phase, tasks at hand, what they wait for, and what comes next. */
export function chainItems(
  state: GraphState,
  head: Trajectory | undefined,
  place: Place,
  isScoped: boolean,
  files: FileLook,
): Item[] {
  const items: Item[] = []
  const { plan, phase, tasks } = place
  const headText = head?.intent ?? ""
  const attributes = {
    plan: plan && shortId(plan.id),
    phase: phase && shortId(phase.id),
    task: tasks.map((task) => shortId(task.id)).join(" "),
    moved: head?.intent_shift_at ? "to follow the user's words" : undefined,
  }
  items.push(
    item("head", "head", 1000, "the read-head", 3, (max) =>
      element("head", attributes, shorten(headText, max)),
    ),
  )
  if (plan !== undefined) {
    const criteria = plan.acceptance.join("; ")
    const words = criteria === "" ? plan.title : `${plan.title} — done when: ${criteria}`
    const shown = { id: shortId(plan.id), status: plan.status, ...planDocument(state, plan, files) }
    items.push(
      item(`plan ${plan.id}`, "chain", 940, "the active plan", 3, (max) =>
        element("plan", shown, shorten(words, max)),
      ),
    )
  }
  if (phase !== undefined && !phase.inbox && !isScoped) {
    const shown = { id: shortId(phase.id), status: phase.status, progress: progressOf(state, phase.id) }
    items.push(
      item(`phase ${phase.id}`, "chain", 930, "the active phase", 2, (max) =>
        element("phase", shown, shorten(phase.title, max)),
      ),
    )
  }
  for (const task of tasks) {
    items.push(taskItem(state, "task", task, "chain", 950, "the task at hand"))
    for (const id of task.depends_on) items.push(waitItem(state, task, id, "depends", "it depends on this"))
    if (task.temporal_gate !== null) {
      const { after_task_id, reason } = task.temporal_gate
      items.push(waitItem(state, task, after_task_id, "gate", reason))
    }
    for (const parent of ancestorsOf(state, task)) {
      items.push(taskItem(state, "parent", parent, "chain", 900, "a parent of the task at hand"))
    }
    for (const child of childrenOf(state, task).filter(isOpenTask)) {
      items.push(taskItem(state, "subtask", child, "next", 780, "part of the task at hand"))
    }
  }
  return isScoped ? items : [...items, ...nextItems(state, place)]
}

/** What can be taken up after the task at hand: open tasks beside it, then of the plan. */
function nextItems(state: GraphState, { plan, tasks }: Place): Item[] {
  // The parts of a task at hand are shown with it.
  const shown = new Set(tasks.flatMap((task) => [task.id, ...childrenOf(state, task).map(({ id }) => id)]))
  const beside = tasks.flatMap((task) => siblingsOf(state, task)).filter(isOpenTask)
  const ofPlan = [...state.task.values()].filter(
    (task) => task.parent_plan_id === plan?.id && isOpenTask(task),
  )
  const items: Item[] = []
  for (const task of [...beside.sort(byAge), ...ofPlan.sort(byAge)]) {
    if (shown.has(task.id) || items.length >= MAX_NEXT) continue
    shown.add(task.id)
    const isBeside = beside.includes(task)
    const reason = isBeside ? "beside the task at hand" : "open in the plan"
    const worth = (isBeside ? 760 : 740) - items.length
    items.push(taskItem(state, "next", task, "next", worth, reason))
  }
  return items
}

function taskItem(
  state: GraphState,
  name: string,
  task: Task,
  section: Item["section"],
  worth: number,
  reason: string,
): Item {
  // What is done holds nothing back any more: named here, it would keep the model from a task that is free.
  const missing = task.depends_on.filter((id) => !isDoneTask(state.task.get(id)))
  const shown = {
    id: shortId(task.id),
    status: task.status,
    ahead: task.ahead ? "yes" : undefined,
    to: task.assigned_to,
    verify: name === "task" ? task.verify : undefined,
    file: task.file === null ? undefined : `${task.file}${task.line === null ? "" : `:${task.line}`}`,
    waits_for: name === "next" ? missing.map(shortId).join(" ") : undefined,
  }
  const isPlain = name !== "task" || task.expected_output === task.title
  const words = isPlain ? task.title : `${task.title} — expected: ${task.expected_output}`
  return item(`task ${task.id} ${name}`, section, worth, reason, name === "task" ? 3 : 2, (max) =>
    element(name, shown, shorten(words, max)),
  )
}

function waitItem(state: GraphState, task: Task, id: string, name: string, reason: string): Item {
  const other = state.task.get(id)
  const shown = { task: shortId(task.id), on: shortId(id), status: other?.status ?? "missing" }
  const title = name === "gate" ? `${other?.title ?? ""}: ${reason}` : (other?.title ?? "")
  return item(`${name} ${task.id} ${id}`, "chain", 920, reason, 2, (max) =>
    element(name, shown, shorten(title, max)),
  )
}

function item(
  key: string,
  section: Item["section"],
  worth: number,
  reason: string,
  levels: number,
  render: (max: number) => string,
): Item {
  return { key, section, worth, reason, levels, render: (level) => render(WIDTHS[level] ?? MIN_WIDTH) }
}

function progressOf(state: GraphState, phaseId: string): string {
  const ofPhase = [...state.task.values()].filter((task) => task.parent_phase_id === phaseId)
  return `${ofPhase.filter(isDoneTask).length}/${ofPhase.length}`
}

const WIDTHS = [700, 160, 60]
const MIN_WIDTH = 60
const MAX_NEXT = 8
