import { headOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { type Pausing, runToEnd } from "../../shared/slices.ts"
import { oneLine, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { duration } from "../../shared/time.ts"
import { findGaps, type Gap, gapToNow } from "./gaps.ts"
import { foldable, growTree, type Tree, type TreeNode } from "./tree.ts"

/** The tree for a model, within a token budget, with the session's position, the last step and what can be folded. */
export function* hierarchyStatus(hive: Hive, session: string): Pausing<Record<string, unknown>> {
  const { state } = hive.store.read()
  const tree = yield* growTree(state, headOf(state, session))
  const here = tree.path.at(-1)
  const since = yield* gapToNow(state, tree, hive.source.now())
  const gaps = longGaps(yield* findGaps(tree.roots))
  const nearest = yield* nearestNodes(tree, MAX_NODES)
  return {
    tree: yield* withinTokens(tree, gaps, nearest),
    here: here === undefined ? null : `${shortId(here.id)} ${shorten(here.title, MAX_TITLE)}`,
    since_last_step: since === null ? null : `${duration(since.ms)}, ${since.severity}`,
    gaps: {
      warm: gaps.filter(({ severity }) => severity === "warm").length,
      stale: gaps.filter(({ severity }) => severity === "stale").length,
    },
    can_be_pruned: foldable(state, tree).length,
  }
}

/** Shows fewer and fewer nodes until the text fits. */
function* withinTokens(tree: Tree, gaps: Gap[], nearest: PlacedNode[]): Pausing<string> {
  if (tree.roots.length === 0) return "no plans yet"
  for (let limit = MAX_NODES; ; limit = Math.floor(limit * 0.8)) {
    const text = treeLines(tree, gaps, nearest.slice(0, limit), { width: WIDTH, hasStamps: true }).join("\n")
    if (countTokens(text) <= MAX_TOKENS || limit <= tree.path.length) return text
    yield
  }
}

interface LineOptions {
  /** Characters of a line. */
  width: number
  /** For a model, which names records by their stamps. */
  hasStamps?: boolean
}

/** The tree as terminal-safe lines. Beyond `limit` nodes, those far from the read-head are only counted. */
export function renderTree(tree: Tree, { limit, ...options }: LineOptions & { limit: number }): string[] {
  const gaps = longGaps(runToEnd(findGaps(tree.roots)))
  return treeLines(tree, gaps, runToEnd(nearestNodes(tree, limit)), options)
}

/** A node with its place among its siblings. */
interface PlacedNode {
  node: TreeNode
  /** Null for a root. */
  parent: TreeNode | null
  index: number
}

/** Lines for the `chosen` nodes; the others are counted at the end of their branch. */
function treeLines(
  tree: Tree,
  gaps: readonly Gap[],
  chosen: readonly PlacedNode[],
  { width, hasStamps = false }: LineOptions,
): string[] {
  const shownBelow = childrenOf(chosen)
  const gapBefore = new Map(gaps.map((gap) => [gap.to, gap]))
  const branch = (node: TreeNode, own: string, below: string): string[] => {
    const children = shownBelow(node)
    const hidden = node.summary === null ? hiddenOf(node.children, children, countsBelow(node)) : null
    // The count of a plan or phase without shown children goes on its own line.
    const isCollapsed = node.level !== "task" && children.length === 0
    const ends = children.length - 1
    const rest = hidden === null || isCollapsed ? [] : [`${below}└── … ${describeHidden(hidden, "more ")}`]
    return [
      lineOf(node, {
        prefix: own,
        width,
        hasStamps,
        gap: gapBefore.get(node.id),
        hidden: isCollapsed ? hidden : null,
      }),
      ...children.flatMap((child, index) =>
        index === ends && rest.length === 0
          ? branch(child, indent(`${below}└── `), indent(`${below}    `))
          : branch(child, indent(`${below}├── `), indent(`${below}│   `)),
      ),
      ...rest,
    ]
  }
  const roots = shownBelow(null)
  const hidden = hiddenOf(tree.roots, roots, countsOf(tree.roots))
  return [
    ...roots.flatMap((root) => branch(root, "", "")),
    ...(hidden === null ? [] : [`… ${describeHidden(hidden, "more ")}`]),
  ]
}

function childrenOf(chosen: readonly PlacedNode[]): (parent: TreeNode | null) => TreeNode[] {
  const byParent = new Map<TreeNode | null, PlacedNode[]>()
  for (const each of chosen) byParent.set(each.parent, [...(byParent.get(each.parent) ?? []), each])
  return (parent) => (byParent.get(parent) ?? []).sort((a, b) => a.index - b.index).map(({ node }) => node)
}

interface LineParts {
  prefix: string
  width: number
  hasStamps: boolean
  gap: Gap | undefined
  hidden: Hidden | null
}

function lineOf(node: TreeNode, { prefix, width, hasStamps, gap, hidden }: LineParts): string {
  const { id, status, title, summary, isCursor } = node
  const start = `${prefix}[${MARKS[status]}] `
  const text = summary === null ? oneLine(title) : oneLine(`${title}: ${summary}`)
  const kept = [
    ...(isCursor ? [HERE] : []),
    ...(STATUSES_OF_MARK.has(status) ? [] : [status]),
    ...(hidden === null ? [] : [`… ${describeHidden(hidden, "")}`]),
  ]
  const gapText = gap && `+${duration(gap.ms)}${gap.severity === "stale" ? " stale" : ""}`
  const remarks = [
    shortId(id),
    ...(hasStamps ? [node.stamp] : []),
    ...(gapText === undefined ? [] : [gapText]),
  ]
  const room = () => width - start.length - ["", ...kept, ...remarks].join("  ").length
  // Deep in the tree there is less room: remarks are dropped, the last one first, before the title is cut.
  while (room() < MIN_TITLE && remarks.length > 0) remarks.pop()
  return [`${start}${shorten(text, Math.max(MIN_TITLE, room()))}`, ...kept, ...remarks].join("  ")
}

/** The indentation is bounded, however deep the tree is. */
function indent(prefix: string): string {
  return prefix.slice(-MAX_INDENT)
}

function longGaps(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ severity }) => severity !== "healthy")
}

/**
 * The `limit` nodes nearest to the read-head, nearest first; finished branches count as farther away. A child is always
 * farther than its parent, so each node comes after its parent.
 */
export function* nearestNodes({ roots, path }: Tree, limit: number): Pausing<PlacedNode[]> {
  const onPath = new Set(path)
  const byDistance: PlacedNode[][] = []
  let count = 0
  function* visit(placed: PlacedNode, above: number, isParentOver: boolean): Pausing<void> {
    const { node } = placed
    const isOver = isOverBranch(node)
    const step = isOver && !isParentOver ? 1 + FINISHED_DISTANCE : 1
    const distance = onPath.has(node) ? 0 : above + step
    byDistance[distance] ??= []
    if (byDistance[distance].length < limit) byDistance[distance].push(placed)
    if (++count % PAUSE_EVERY === 0) yield
    if (node.summary !== null) return
    for (const [index, child] of node.children.entries())
      yield* visit({ node: child, parent: node, index }, distance, isOver)
  }
  for (const [index, root] of roots.entries()) yield* visit({ node: root, parent: null, index }, 0, false)
  // Some distances may have no nodes.
  return byDistance.flatMap((near) => near ?? []).slice(0, limit)
}

/** Without tasks, the status of the plan or phase decides. */
function isOverBranch({ isOver, tasks, open }: TreeNode): boolean {
  return tasks > 0 ? open === 0 : isOver
}

interface TaskCounts {
  tasks: number
  open: number
}

/** Branches that are not shown, and the tasks in them. */
interface Hidden extends TaskCounts {
  level: TreeNode["level"]
  branches: number
}

function hiddenOf(nodes: readonly TreeNode[], shown: readonly TreeNode[], all: TaskCounts): Hidden | null {
  const isShown = new Set(shown)
  const first = nodes.find((node) => !isShown.has(node))
  if (first === undefined) return null
  const { tasks, open } = countsOf(shown)
  const branches = nodes.length - shown.length
  return { level: first.level, branches, tasks: all.tasks - tasks, open: all.open - open }
}

function countsOf(nodes: readonly TreeNode[]): TaskCounts {
  const counts = { tasks: 0, open: 0 }
  for (const { tasks, open } of nodes) {
    counts.tasks += tasks
    counts.open += open
  }
  return counts
}

/** Without the node itself. */
function countsBelow({ level, isOver, tasks, open }: TreeNode): TaskCounts {
  return level === "task" ? { tasks: tasks - 1, open: isOver ? open : open - 1 } : { tasks, open }
}

/** `12 tasks, 3 open`, or `2 phases: 12 tasks, 3 open`. */
function describeHidden({ level, branches, tasks, open }: Hidden, more: "" | "more "): string {
  const ofTasks = (word: string) => `${counted(tasks, `${word}task`)}, ${open} open`
  return level === "task" ? ofTasks(more) : `${counted(branches, `${more}${level}`)}: ${ofTasks("")}`
}

const MAX_TOKENS = 1100
const MAX_NODES = 80
const WIDTH = 100
const MAX_TITLE = 80
const HERE = "◀ here"
const MIN_TITLE = 16
const MAX_INDENT = 32
const MARKS: Record<TreeNode["status"], string> = {
  draft: " ",
  planned: " ",
  blocked: " ",
  active: ">",
  review: ">",
  completed: "x",
  archived: "x",
  failed: "!",
  invalidated: "-",
  abandoned: "-",
}
const STATUSES_OF_MARK = new Set<TreeNode["status"]>(["planned", "active", "completed"])
// Open work up to two branches farther away is shown before finished work.
const FINISHED_DISTANCE = 2
const PAUSE_EVERY = 500
