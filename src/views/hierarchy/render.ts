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

/** The tree for a model, within a token budget, with the session's position and the time since its last step. */
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

function* withinTokens(tree: Tree, gaps: Gap[], nearest: PlacedNode[]): Pausing<string> {
  if (tree.roots.length === 0) return "no plans yet"
  for (let limit = MAX_NODES; ; limit = Math.floor(limit * 0.8)) {
    const text = treeLines(tree, gaps, nearest.slice(0, limit), { width: WIDTH, hasStamps: true }).join("\n")
    if (countTokens(text) <= MAX_TOKENS || limit <= tree.path.length) return text
    yield
  }
}

interface LineOptions {
  width: number
  /** True for a model, so that it can name records by their stamps. */
  hasStamps?: boolean
}

/** The tree as lines for a terminal. If it has more than `limit` nodes, those far from the read-head are only counted. */
export function renderTree(tree: Tree, { limit, ...options }: LineOptions & { limit: number }): string[] {
  const gaps = longGaps(runToEnd(findGaps(tree.roots)))
  return treeLines(tree, gaps, runToEnd(nearestNodes(tree, limit)), options)
}

interface PlacedNode {
  node: TreeNode
  parent: TreeNode | null
  index: number
}

/** Lines for the `chosen` nodes. The other nodes are counted at the end of their branch. */
function treeLines(tree: Tree, gaps: readonly Gap[], chosen: readonly PlacedNode[], options: LineOptions) {
  const shownBelow = childrenOf(chosen)
  const gapBefore = new Map(gaps.map((gap) => [gap.before, gap]))
  const branch = (node: TreeNode, own: string, below: string): string[] => {
    const children = shownBelow(node)
    // If no child of a plan or phase is shown, the count stands in the node's own line.
    const isCollapsed = node.level !== "task" && children.length === 0
    const hidden =
      node.summary !== null
        ? null
        : hiddenText(node.children, children, countsBelow(node), isCollapsed ? "" : "more ")
    const rest = hidden === null || isCollapsed ? [] : [`${below}└── ${hidden}`]
    const ends = children.length - 1
    return [
      lineOf(node, own, options, gapBefore.get(node.id), isCollapsed ? hidden : null),
      ...children.flatMap((child, index) =>
        index === ends && rest.length === 0
          ? branch(child, indent(`${below}└── `), indent(`${below}    `))
          : branch(child, indent(`${below}├── `), indent(`${below}│   `)),
      ),
      ...rest,
    ]
  }
  const roots = shownBelow(null)
  const hidden = hiddenText(tree.roots, roots, countsOf(tree.roots), "more ")
  return [...roots.flatMap((root) => branch(root, "", "")), ...(hidden === null ? [] : [hidden])]
}

function childrenOf(chosen: readonly PlacedNode[]): (parent: TreeNode | null) => TreeNode[] {
  const byParent = new Map<TreeNode | null, PlacedNode[]>()
  for (const each of chosen) byParent.set(each.parent, [...(byParent.get(each.parent) ?? []), each])
  return (parent) => (byParent.get(parent) ?? []).sort((a, b) => a.index - b.index).map(({ node }) => node)
}

function lineOf(
  { id, status, title, summary, isCursor, stamp }: TreeNode,
  prefix: string,
  { width, hasStamps }: LineOptions,
  gap: Gap | undefined,
  hidden: string | null,
): string {
  const start = `${prefix}[${MARKS[status]}] `
  const text = oneLine(summary === null ? title : `${title}: ${summary}`)
  const kept = [
    ...(isCursor ? [HERE] : []),
    ...(STATUSES_OF_MARK.has(status) ? [] : [status]),
    ...(hidden === null ? [] : [hidden]),
  ]
  const gapText = gap && `+${duration(gap.ms)}${gap.severity === "stale" ? " stale" : ""}`
  const remarks = [shortId(id), hasStamps && stamp, gapText].filter((remark) => typeof remark === "string")
  const room = () => width - start.length - ["", ...kept, ...remarks].join("  ").length
  // Deep in the tree there is less room. Remarks are dropped before the title is cut.
  while (room() < MIN_TITLE && remarks.length > 0) remarks.pop()
  return [`${start}${shorten(text, Math.max(MIN_TITLE, room()))}`, ...kept, ...remarks].join("  ")
}

const indent = (prefix: string): string => prefix.slice(-MAX_INDENT)

const longGaps = (gaps: readonly Gap[]): Gap[] => gaps.filter(({ severity }) => severity !== "healthy")

/** The `limit` nodes nearest to the read-head, parents before children. Finished branches count as farther away. */
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
  return byDistance.flatMap((near) => near ?? []).slice(0, limit)
}

/** Whether a branch has no open task. Without tasks, the status of its plan or phase decides. */
const isOverBranch = ({ isOver, tasks, open }: TreeNode): boolean => (tasks > 0 ? open === 0 : isOver)

type TaskCounts = Pick<TreeNode, "tasks" | "open">

/** `… 12 tasks, 3 open` or `… 2 phases: 12 tasks, 3 open`, for the hidden nodes. Null if no node is hidden. */
function hiddenText(
  nodes: readonly TreeNode[],
  shown: readonly TreeNode[],
  all: TaskCounts,
  more: "" | "more ",
): string | null {
  const isShown = new Set(shown)
  const first = nodes.find((node) => !isShown.has(node))
  if (first === undefined) return null
  const { tasks, open } = countsOf(shown)
  const ofTasks = (word: string) => `${counted(all.tasks - tasks, `${word}task`)}, ${all.open - open} open`
  if (first.level === "task") return `… ${ofTasks(more)}`
  return `… ${counted(nodes.length - shown.length, `${more}${first.level}`)}: ${ofTasks("")}`
}

function countsOf(nodes: readonly TreeNode[]): TaskCounts {
  const counts = { tasks: 0, open: 0 }
  for (const { tasks, open } of nodes) {
    counts.tasks += tasks
    counts.open += open
  }
  return counts
}

function countsBelow({ level, isOver, tasks, open }: TreeNode): TaskCounts {
  return level === "task" ? { tasks: tasks - 1, open: isOver ? open : open - 1 } : { tasks, open }
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
// Finished work counts as this many steps farther away, so that open work nearby is shown first.
const FINISHED_DISTANCE = 2
const PAUSE_EVERY = 500
