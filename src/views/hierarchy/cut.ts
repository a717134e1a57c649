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

/** Cuts the tree to `limit` nodes: those nearest to the read-head, open work before finished; the rest becomes counts. */
export function cutTree(
  tree: Tree,
  limit: number,
  nearest: readonly TreeNode[] = runToEnd(nearestNodes(tree, limit)),
): ShownTree {
  const { roots } = tree
  const chosen = new Set(nearest.slice(0, limit))
  const shown = (node: TreeNode): ShownNode => {
    const children = node.summary === null ? node.children : []
    return { ...node, children: children.filter((each) => chosen.has(each)).map(shown), ...cut(children) }
  }
  const cut = (nodes: TreeNode[]) => ({ hidden: hiddenOf(nodes.filter((each) => !chosen.has(each))) })
  return { roots: roots.filter((each) => chosen.has(each)).map(shown), ...cut(roots) }
}

/**
 * The nodes nearest to the read-head, so many, the nearest first. A child is always farther than its parent, so every
 * one of them has its parent before it.
 */
export function* nearestNodes({ roots, path }: Tree, limit: number): Pausing<TreeNode[]> {
  const onPath = new Set(path)
  /** By distance, in the order of the tree; of each no more than can be needed. */
  const byDistance: TreeNode[][] = []
  let count = 0
  function* visit(node: TreeNode, above: number, isParentOver: boolean): Pausing<void> {
    const isOver = isOverBranch(node)
    const step = isOver && !isParentOver ? 1 + FINISHED_DISTANCE : 1
    const distance = onPath.has(node) ? 0 : above + step
    const near = byDistance[distance] ?? []
    byDistance[distance] = near
    if (near.length < limit) near.push(node)
    if (++count % PAUSE_EVERY === 0) yield
    if (node.summary === null) for (const child of node.children) yield* visit(child, distance, isOver)
  }
  for (const root of roots) yield* visit(root, 0, false)
  return byDistance.flatMap((near) => near ?? []).slice(0, limit)
}

/** Without tasks, the status of the plan or phase decides. */
function isOverBranch({ isOver, tasks, open }: TreeNode): boolean {
  return tasks > 0 ? open === 0 : isOver
}

function hiddenOf(nodes: TreeNode[]): Hidden | null {
  const [first] = nodes
  if (first === undefined) return null
  const sum = (count: (node: TreeNode) => number) => nodes.reduce((total, node) => total + count(node), 0)
  return {
    level: first.level,
    branches: nodes.length,
    tasks: sum(({ tasks }) => tasks),
    open: sum(({ open }) => open),
  }
}

// Open work up to two branches farther is shown before finished work.
const FINISHED_DISTANCE = 2
const PAUSE_EVERY = 500
