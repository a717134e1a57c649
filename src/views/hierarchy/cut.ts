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
export function cutTree({ roots, path }: Tree, limit: number): ShownTree {
  const chosen = nearest(roots, new Set(path), limit)
  const shown = (node: TreeNode): ShownNode => {
    const children = node.summary === null ? node.children : []
    return { ...node, children: children.filter((each) => chosen.has(each)).map(shown), ...cut(children) }
  }
  const cut = (nodes: TreeNode[]) => ({ hidden: hiddenOf(nodes.filter((each) => !chosen.has(each))) })
  return { roots: roots.filter((each) => chosen.has(each)).map(shown), ...cut(roots) }
}

/** A child is always farther than its parent, so every chosen node has its parent. */
function nearest(roots: TreeNode[], path: ReadonlySet<TreeNode>, limit: number): Set<TreeNode> {
  const ranked: { node: TreeNode; distance: number }[] = []
  const visit = (node: TreeNode, above: number, isParentOver: boolean) => {
    const isOver = isOverBranch(node)
    const step = isOver && !isParentOver ? 1 + FINISHED_DISTANCE : 1
    const distance = path.has(node) ? 0 : above + step
    ranked.push({ node, distance })
    if (node.summary === null) for (const child of node.children) visit(child, distance, isOver)
  }
  for (const root of roots) visit(root, 0, false)
  // Sorting is stable: equal distances keep the order of the tree.
  const first = ranked.sort((a, b) => a.distance - b.distance).slice(0, limit)
  return new Set(first.map(({ node }) => node))
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
