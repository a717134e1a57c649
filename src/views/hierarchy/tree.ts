import { byAge } from "../../graph/by-age.ts"
import { isDonePhase, isOpenTask, isOverPlan, isOverTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { type Pausing, runInSlices, runToEnd } from "../../shared/slices.ts"
import { merge } from "../../shared/sorting.ts"
import { shorten } from "../../shared/text/clean.ts"

export interface TreeNode {
  id: string
  stamp: string
  level: "plan" | "phase" | "task"
  title: string
  status: (Plan | Phase | Task)["status"]
  created_at: string
  isOver: boolean
  isCursor: boolean
  /** The number of tasks in this branch, with the node itself if it is a task; `open` counts the unfinished. */
  tasks: number
  open: number
  /** For a finished plan or phase that `prune` has cut to one line: the text of this line. Else null. */
  summary: string | null
  children: TreeNode[]
}

export interface Tree {
  /** Plans by age. A task whose plan is missing is a root too. */
  roots: TreeNode[]
  /** The nodes from the plan to the read-head; empty without a read-head. */
  path: TreeNode[]
}

export function treeOf(state: GraphState, head: Trajectory | undefined): Tree {
  return runToEnd(growTree(state, head))
}

/** All plans with their phases, tasks and sub-tasks. The generator pauses, because there can be very many tasks. */
export function* growTree(state: GraphState, head: Trajectory | undefined): Pausing<Tree> {
  const nodes = new Map<string, TreeNode>()
  const parents = new Map<TreeNode, TreeNode>()
  const roots: TreeNode[] = []
  const make = (record: Plan | Phase | Task, level: TreeNode["level"], isOver: boolean) => {
    const { id, stamp, title, status, created_at } = record
    const branch = { isCursor: false, tasks: 0, open: 0, summary: null, children: [] }
    const node: TreeNode = { id, stamp, level, title, status, created_at, isOver, ...branch }
    nodes.set(id, node)
    return node
  }
  const attach = (node: TreeNode, parent: TreeNode | undefined) => {
    ;(parent?.children ?? roots).push(node)
    if (parent !== undefined) parents.set(node, parent)
  }

  const cursor = cursorOf(state, head)
  const isUnused = ({ id }: Phase) => state.task.by("parent_phase_id", id).size === 0
  const tasks = yield* tasksByAge(state)
  for (const plan of [...state.plan.values()].sort(byAge))
    attach(make(plan, "plan", isOverPlan(plan)), undefined)
  for (const phase of [...state.phase.values()].sort(byOrder)) {
    if (phase.inbox && isUnused(phase) && phase.id !== cursor?.id) continue
    attach(make(phase, "phase", isDonePhase(phase)), nodes.get(phase.parent_plan_id))
  }
  // All nodes are made before they are linked, because a parent may be younger than its sub-tasks.
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

/** All tasks, oldest first. The tasks of each status are already in that order, so they only need merging. */
function* tasksByAge(state: GraphState): Pausing<Task[]> {
  // Copied before the first pause, because the graph may change during a pause.
  const groups = statusesWhere(() => true).map((status) => state.task.by("status", status).snapshot())
  const tasks: Task[] = []
  for (const task of merge(groups, byAge)) {
    tasks.push(task)
    if (tasks.length % PAUSE_EVERY === 0) yield
  }
  return tasks
}

/** The record at the read-head: its first task, else its phase, else its plan. */
export function cursorOf(state: GraphState, head: Trajectory | undefined): Task | Phase | Plan | undefined {
  const [task] = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  return task ?? state.phase.get(head?.active_phase_id ?? "") ?? state.plan.get(head?.active_plan_id ?? "")
}

function parentOf(state: GraphState, task: Task, nodes: ReadonlyMap<string, TreeNode>): TreeNode | undefined {
  const container = nodes.get(task.parent_phase_id) ?? nodes.get(task.parent_plan_id)
  if (task.parent_task_id === null || isTooDeep(state, task)) return container
  return nodes.get(task.parent_task_id) ?? container
}

/** True if a task's parents form a circle or are too many for recursion. Such a task goes directly below its phase. */
function isTooDeep(state: GraphState, task: Task): boolean {
  const above = new Set<string>()
  const up = (id: string) => state.task.get(id)?.parent_task_id ?? null
  for (let id = task.parent_task_id; id !== null && !above.has(id); id = up(id)) {
    if (id === task.id || above.size >= MAX_DEPTH) return true
    above.add(id)
  }
  return false
}

/** Sets a node's summary, unless its tasks have changed since the summary was made: then the tasks are shown. */
function fold(node: TreeNode | undefined, summary: string | null, reason: string | null): void {
  if (node === undefined || summary === null || node.open > 0) return
  if (summary === summaryOf(node, reason)) node.summary = summary
}

/** The path to the node. It ends earlier at a plan or phase that is shown as its summary, which hides all below it. */
function pathTo(node: TreeNode | undefined, parents: ReadonlyMap<TreeNode, TreeNode>): TreeNode[] {
  const path: TreeNode[] = []
  for (let up = node; up !== undefined; up = parents.get(up)) path.unshift(up)
  const folded = path.findIndex(({ summary }) => summary !== null)
  return folded < 0 ? path : path.slice(0, folded + 1)
}

function byOrder(a: Phase, b: Phase): number {
  return Number(a.inbox) - Number(b.inbox) || a.order - b.order || byAge(a, b)
}

function summaryOf(branch: TreeNode, reason: string | null): string {
  const tasks = tasksIn(branch)
  const titles = tasks.map(({ title, status }) => (status === "completed" ? title : `${title} (${status})`))
  const words = [reason ?? "", [outcome(tasks), titles.join("; ")].filter(Boolean).join(": ")]
  return shorten(words.filter(Boolean).join(" — "), MAX_LENGTH)
}

/** `3 tasks done`, or `3 tasks: 2 completed, 1 failed`. */
function outcome(tasks: TreeNode[]): string {
  const counts = new Map<string, number>()
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1)
  if (tasks.length === 0) return "no tasks"
  if (counts.get("completed") === tasks.length) return `${counted(tasks.length, "task")} done`
  const each = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([status, n]) => `${n} ${status}`)
  return `${counted(tasks.length, "task")}: ${each.join(", ")}`
}

function tasksIn({ children }: TreeNode): TreeNode[] {
  return children.flatMap((child) => (child.level === "task" ? [child, ...tasksIn(child)] : tasksIn(child)))
}

/** Gives every finished plan or phase a summary, which the tree shows in place of its tasks. Nothing is deleted. */
export async function prune(hive: Hive, caller: Caller) {
  const { state } = hive.store.read()
  const branches = foldable(state, await runInSlices(growTree(state, undefined)))
  if (branches.length === 0) return { folded: [], entry: null }
  const updated_at = new Date(hive.source.now()).toISOString()
  const { result, entry } = await hive.store.write(authorOf(caller), (tx) => {
    const existing = branches.filter(({ kind, id }) => tx.get(kind, id) !== undefined)
    // If another process adds a task now, the summary does not match, and the tree still shows the tasks.
    for (const { kind, id, summary } of existing) tx.set(kind, id, { summary, updated_at })
    return existing
  })
  return { folded: result, entry }
}

/** What `prune` would cut to one line: finished plans, and phases of other plans whose tasks are all finished. */
export function foldable(state: GraphState, { roots }: Tree = treeOf(state, undefined)) {
  return roots.flatMap((root) => {
    const plan = state.plan.get(root.id)
    if (plan === undefined || root.summary !== null) return []
    if (isOverPlan(plan) && root.open === 0) return [branchOf("plan", root, plan.reason)]
    return root.children
      .filter((node) => node.level === "phase" && node.summary === null && node.tasks > 0 && node.open === 0)
      .map((node) => branchOf("phase", node, null))
  })
}

function branchOf(kind: "plan" | "phase", node: TreeNode, reason: string | null) {
  const { id, title, tasks } = node
  return { kind, id, title, tasks, summary: summaryOf(node, reason) }
}

const MAX_DEPTH = 50
const PAUSE_EVERY = 500
const MAX_LENGTH = 500
