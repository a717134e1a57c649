import { byAge } from "../../graph/by-age.ts"
import { isDonePhase, isOpenTask, isOverPlan, isOverTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { merge } from "../../shared/merge.ts"
import { type Pausing, runToEnd } from "../../shared/slices.ts"
import { summaryOf } from "./summary.ts"

/** A plan, phase or task as the tree shows it. A view: the records are the truth. */
export interface TreeNode {
  id: string
  stamp: string
  level: "plan" | "phase" | "task"
  title: string
  status: (Plan | Phase | Task)["status"]
  created_at: string
  /** Done, given up or put away. */
  isOver: boolean
  /** True for the one node that the read-head points at. */
  isCursor: boolean
  /** Tasks in this branch, itself included, and how many of them are not finished. */
  tasks: number
  open: number
  /** The outcome of a folded branch, which is shown as one line without its children; null if it is not folded. */
  summary: string | null
  children: TreeNode[]
}

export interface Tree {
  /** Plans by age; a task without its plan is a root too. */
  roots: TreeNode[]
  /** From the plan down to the read-head's node; empty without a read-head. */
  path: TreeNode[]
}

/** All plans with their phases, tasks and sub-tasks, and the path to a read-head. */
export function treeOf(state: GraphState, head: Trajectory | undefined): Tree {
  return runToEnd(growTree(state, head))
}

/** The same with pauses: there can be very many tasks. */
export function* growTree(state: GraphState, head: Trajectory | undefined): Pausing<Tree> {
  const nodes = new Map<string, TreeNode>()
  const parents = new Map<TreeNode, TreeNode>()
  const roots: TreeNode[] = []
  const make = (record: Plan | Phase | Task, level: TreeNode["level"], isOver: boolean) => {
    const node = nodeOf(record, level, isOver)
    nodes.set(node.id, node)
    return node
  }
  const attach = (node: TreeNode, parent: TreeNode | undefined) => {
    const beside = parent?.children ?? roots
    beside.push(node)
    if (parent !== undefined) parents.set(node, parent)
  }

  const cursor = cursorOf(state, head)
  const isUnused = ({ id }: Phase) => state.task.by("parent_phase_id", id).size === 0
  const tasks = yield* tasksByAge(state)
  for (const plan of [...state.plan.values()].sort(byAge))
    attach(make(plan, "plan", isOverPlan(plan)), undefined)
  for (const phase of [...state.phase.values()].sort(byOrder)) {
    // Every plan has an inbox; an empty one is not shown.
    if (phase.inbox && isUnused(phase) && phase.id !== cursor?.id) continue
    attach(make(phase, "phase", isDonePhase(phase)), nodes.get(phase.parent_plan_id))
  }
  // All nodes first: a parent may be younger than its sub-tasks.
  const taskNodes: { task: Task; node: TreeNode }[] = []
  for (const task of tasks) {
    taskNodes.push({ task, node: make(task, "task", isOverTask(task)) })
    if (taskNodes.length % PAUSE_EVERY === 0) yield
  }
  for (const [n, { task, node }] of taskNodes.entries()) {
    attach(node, parentOf(state, task, nodes))
    if (n % PAUSE_EVERY === 0) yield
  }
  for (const [n, { task, node }] of taskNodes.entries()) {
    for (let up: TreeNode | undefined = node; up !== undefined; up = parents.get(up)) {
      up.tasks++
      if (isOpenTask(task)) up.open++
    }
    if (n % PAUSE_EVERY === 0) yield
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

/** All tasks, the oldest first. Those of a status are kept in that order. */
function* tasksByAge(state: GraphState): Pausing<Task[]> {
  // Taken before the first pause: the groups change with the graph.
  const groups = statusesWhere(() => true).map((status) => state.task.by("status", status).snapshot())
  const tasks: Task[] = []
  for (const task of merge(groups, byAge)) {
    tasks.push(task)
    if (tasks.length % PAUSE_EVERY === 0) yield
  }
  return tasks
}

/** The record that a read-head points at: its first task at hand, else its phase, else its plan. */
export function cursorOf(state: GraphState, head: Trajectory | undefined): Task | Phase | Plan | undefined {
  const [task] = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  return task ?? state.phase.get(head?.active_phase_id ?? "") ?? state.plan.get(head?.active_plan_id ?? "")
}

function nodeOf(record: Plan | Phase | Task, level: TreeNode["level"], isOver: boolean): TreeNode {
  const { id, stamp, title, status, created_at } = record
  const branch = { isCursor: false, tasks: 0, open: 0, summary: null, children: [] }
  return { id, stamp, level, title, status, created_at, isOver, ...branch }
}

/** Its parent task, phase or plan, whichever exists. */
function parentOf(state: GraphState, task: Task, nodes: ReadonlyMap<string, TreeNode>): TreeNode | undefined {
  const container = nodes.get(task.parent_phase_id) ?? nodes.get(task.parent_plan_id)
  if (task.parent_task_id === null || isTooDeep(state, task)) return container
  return nodes.get(task.parent_task_id) ?? container
}

/**
 * True in a circle of parents, or under more tasks than a tree can show: after a hand edit, or a model that splits without
 * end. Such tasks go directly below their phase, so that the tree can be walked by recursion.
 */
function isTooDeep(state: GraphState, task: Task): boolean {
  const above = new Set<string>()
  const up = (id: string) => state.task.get(id)?.parent_task_id ?? null
  for (let id = task.parent_task_id; id !== null && !above.has(id); id = up(id)) {
    if (id === task.id || above.size >= MAX_DEPTH) return true
    above.add(id)
  }
  return false
}

/**
 * A summary counts only while it matches the branch: new tasks, done or not, unfold the branch until it is folded again.
 */
function fold(node: TreeNode | undefined, summary: string | null, reason: string | null): void {
  if (node === undefined || summary === null || node.open > 0) return
  if (summary === summaryOf(node, reason)) node.summary = summary
}

/** The path down to the node, or to the folded branch that contains it. */
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
const PAUSE_EVERY = 500
