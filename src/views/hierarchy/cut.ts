import { isOpenTask } from "../../graph/lifecycle.ts"
import type { Task } from "../../schemas/task.ts"
import { type Pausing, runToEnd } from "../../shared/slices.ts"
import type { Tree, TreeNode } from "./tree.ts"

/** A node that is shown, with its shown children and a count of the hidden ones. */
export interface ShownNode extends Omit<TreeNode, "children"> {
  children: ShownNode[]
  hidden: Hidden | null
}

/** Counts of the branches that were cut, and of the tasks in them. */
export interface Hidden {
  level: TreeNode["level"]
  branches: number
  tasks: number
  open: number
}

export interface ShownTree {
  roots: ShownNode[]
  hidden: Hidden | null
}

/** A node with its place among its siblings. */
export interface PlacedNode {
  node: TreeNode
  /** Null for a root. */
  parent: TreeNode | null
  index: number
}

/**
 * Cuts the tree to `limit` nodes: those nearest to the read-head, open work before finished; the rest becomes counts.
 * Costs what is shown, once the nearest are known.
 */
export function cutTree(
  tree: Tree,
  limit: number,
  nearest: readonly PlacedNode[] = runToEnd(nearestNodes(tree, limit)),
): ShownTree {
  const chosen = new Map<TreeNode | null, PlacedNode[]>()
  for (const each of nearest.slice(0, limit))
    chosen.set(each.parent, [...(chosen.get(each.parent) ?? []), each])
  const shownBelow = (parent: TreeNode | null) =>
    (chosen.get(parent) ?? []).sort((a, b) => a.index - b.index).map(({ node }) => node)
  const shown = (node: TreeNode): ShownNode => {
    const below = shownBelow(node)
    const hidden = node.summary === null ? hiddenOf(node.children, below, belowOf(node)) : null
    return { ...node, children: below.map(shown), hidden }
  }
  const roots = shownBelow(null)
  return { roots: roots.map(shown), hidden: hiddenOf(tree.roots, roots, sumOf(tree.roots)) }
}

/**
 * The nodes nearest to the read-head, so many, the nearest first. A child is always farther than its parent, so every
 * one of them has its parent before it.
 */
export function* nearestNodes({ roots, path }: Tree, limit: number): Pausing<PlacedNode[]> {
  const onPath = new Set(path)
  /** By distance, in the order of the tree; of each no more than can be needed. */
  const byDistance: PlacedNode[][] = []
  let count = 0
  function* visit(placed: PlacedNode, above: number, isParentOver: boolean): Pausing<void> {
    const { node } = placed
    const isOver = isOverBranch(node)
    const step = isOver && !isParentOver ? 1 + FINISHED_DISTANCE : 1
    const distance = onPath.has(node) ? 0 : above + step
    const near = byDistance[distance] ?? []
    byDistance[distance] = near
    if (near.length < limit) near.push(placed)
    if (++count % PAUSE_EVERY === 0) yield
    if (node.summary !== null) return
    for (const [index, child] of node.children.entries())
      yield* visit({ node: child, parent: node, index }, distance, isOver)
  }
  for (const [index, root] of roots.entries()) yield* visit({ node: root, parent: null, index }, 0, false)
  return byDistance.flatMap((near) => near ?? []).slice(0, limit)
}

/** Without tasks, the status of the plan or phase decides. */
function isOverBranch({ isOver, tasks, open }: TreeNode): boolean {
  return tasks > 0 ? open === 0 : isOver
}

interface Sum {
  tasks: number
  open: number
}

function hiddenOf(nodes: readonly TreeNode[], shown: readonly TreeNode[], all: Sum): Hidden | null {
  const isShown = new Set(shown)
  const first = nodes.find((node) => !isShown.has(node))
  if (first === undefined) return null
  const { tasks, open } = sumOf(shown)
  return {
    level: first.level,
    branches: nodes.length - shown.length,
    tasks: all.tasks - tasks,
    open: all.open - open,
  }
}

function sumOf(nodes: readonly TreeNode[]): Sum {
  const sum = { tasks: 0, open: 0 }
  for (const { tasks, open } of nodes) {
    sum.tasks += tasks
    sum.open += open
  }
  return sum
}

/** What is below a node: its own counts without itself. */
function belowOf({ level, status, tasks, open }: TreeNode): Sum {
  if (level !== "task") return { tasks, open }
  // Of a task, it is a status of tasks.
  const isOpen = isOpenTask({ status: status as Task["status"] })
  return { tasks: tasks - 1, open: isOpen ? open - 1 : open }
}

// Open work up to two branches farther is shown before finished work.
const FINISHED_DISTANCE = 2
const PAUSE_EVERY = 500
