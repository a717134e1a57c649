import { byAge } from "../../graph/by-age.ts"
import { isOpenTask, isOverPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { summaryOf } from "./summary.ts"

/** A plan, phase or task as the tree shows it. A view: the records are the truth. */
export interface TreeNode {
  id: string
  stamp: string
  level: "plan" | "phase" | "task"
  title: string
  status: (Plan | Phase | Task)["status"]
  created_at: string
  /** True for the one node where the read-head stands. */
  isCursor: boolean
  /** Tasks in this branch, itself included, and how many of them are not finished. */
  tasks: number
  open: number
  /** What the branch came to, where it was folded: it is then shown as one line, without its children. */
  summary: string | null
  children: TreeNode[]
}

export interface Tree {
  /** Plans by age; a task that has lost its plan stands beside them. */
  roots: TreeNode[]
  /** From the plan down to where the read-head stands; empty where it stands nowhere. */
  path: TreeNode[]
}

/** All plans with their phases, tasks and sub-tasks, as a read-head sees them. */
export function treeOf(state: GraphState, head: Trajectory | undefined): Tree {
  const nodes = new Map<string, TreeNode>()
  const parents = new Map<TreeNode, TreeNode>()
  const roots: TreeNode[] = []
  const make = (record: Plan | Phase | Task, level: TreeNode["level"]) => {
    const node = nodeOf(record, level)
    nodes.set(node.id, node)
    return node
  }
  const attach = (node: TreeNode, parent: TreeNode | undefined) => {
    const beside = parent?.children ?? roots
    beside.push(node)
    if (parent !== undefined) parents.set(node, parent)
  }

  const cursor = cursorOf(state, head)
  const tasks = [...state.task.values()].sort(byAge)
  const used = new Set(tasks.map(({ parent_phase_id }) => parent_phase_id))
  for (const plan of [...state.plan.values()].sort(byAge)) attach(make(plan, "plan"), undefined)
  for (const phase of [...state.phase.values()].sort(byOrder)) {
    // Every plan has an inbox; an empty one tells nobody anything.
    if (phase.inbox && !used.has(phase.id) && phase.id !== cursor?.id) continue
    attach(make(phase, "phase"), nodes.get(phase.parent_plan_id))
  }
  // First all of them: a parent may be younger than its sub-tasks.
  const ofTasks = tasks.map((task) => ({ task, node: make(task, "task") }))
  for (const { task, node } of ofTasks) attach(node, parentOf(state, task, nodes))
  for (const { task, node } of ofTasks) {
    for (let up: TreeNode | undefined = node; up !== undefined; up = parents.get(up)) {
      up.tasks++
      if (isOpenTask(task)) up.open++
    }
  }
  for (const plan of state.plan.values()) {
    if (isOverPlan(plan)) fold(nodes.get(plan.id), plan.summary, plan.reason)
  }
  for (const { id, summary } of state.phase.values()) fold(nodes.get(id), summary, null)

  const path = pathTo(cursor === undefined ? undefined : nodes.get(cursor.id), parents)
  const here = path.at(-1)
  if (here !== undefined) here.isCursor = true
  return { roots, path }
}

/** What a read-head points at most closely: its first task at hand, else its phase, else its plan. */
export function cursorOf(state: GraphState, head: Trajectory | undefined): Task | Phase | Plan | undefined {
  const [task] = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  return task ?? state.phase.get(head?.active_phase_id ?? "") ?? state.plan.get(head?.active_plan_id ?? "")
}

function nodeOf(record: Plan | Phase | Task, level: TreeNode["level"]): TreeNode {
  const { id, stamp, title, status, created_at } = record
  const branch = { isCursor: false, tasks: 0, open: 0, summary: null, children: [] }
  return { id, stamp, level, title, status, created_at, ...branch }
}

/** Its parent task, phase or plan, whichever is there. */
function parentOf(state: GraphState, task: Task, nodes: ReadonlyMap<string, TreeNode>): TreeNode | undefined {
  const home = nodes.get(task.parent_phase_id) ?? nodes.get(task.parent_plan_id)
  if (task.parent_task_id === null || isAdrift(state, task)) return home
  return nodes.get(task.parent_task_id) ?? home
}

/**
 * In a circle, or under more tasks than any tree can show: a hand edit, or a model that splits without end. Such tasks
 * stand in their phase, and whoever walks the tree may do so with plain recursion.
 */
function isAdrift(state: GraphState, task: Task): boolean {
  const above = new Set<string>()
  const up = (id: string) => state.task.get(id)?.parent_task_id ?? null
  for (let id = task.parent_task_id; id !== null && !above.has(id); id = up(id)) {
    if (id === task.id || above.size >= MAX_DEPTH) return true
    above.add(id)
  }
  return false
}

/**
 * A summary counts only while it says what is there: new tasks, done or not, open the branch again by themselves,
 * until it is folded anew.
 */
function fold(node: TreeNode | undefined, summary: string | null, reason: string | null): void {
  if (node === undefined || summary === null || node.open > 0) return
  if (summary === summaryOf(node, reason)) node.summary = summary
}

/** Down to the node, or to the folded branch it is in. */
function pathTo(node: TreeNode | undefined, parents: ReadonlyMap<TreeNode, TreeNode>): TreeNode[] {
  const path: TreeNode[] = []
  for (let up = node; up !== undefined; up = parents.get(up)) path.unshift(up)
  const folded = path.findIndex(({ summary }) => summary !== null)
  return folded < 0 ? path : path.slice(0, folded + 1)
}

/** As they were planned, the inbox last. */
function byOrder(a: Phase, b: Phase): number {
  return Number(a.inbox) - Number(b.inbox) || a.order - b.order || byAge(a, b)
}

const MAX_DEPTH = 50
