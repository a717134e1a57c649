import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { type Pausing, runToEnd } from "../../shared/slices.ts"
import { oneLine } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"
import { columnsOf, fitColumns } from "./columns.ts"
import { cutTree, type Hidden, nearestNodes, type PlacedNode, type ShownNode } from "./cut.ts"
import { findGaps, type Gap } from "./gaps.ts"
import type { Tree } from "./tree.ts"

export interface RenderOptions {
  /** Columns of a line. */
  width: number
  /** Most nodes shown; the others are counted. */
  limit: number
}

/** What has to be found in the whole tree before some of it is rendered. */
export interface Surveyed {
  gaps: readonly Gap[]
  /** The nodes nearest to the read-head. */
  nearest: readonly PlacedNode[]
}

export function* surveyTree(tree: Tree, limit: number): Pausing<Surveyed> {
  return { gaps: yield* findGaps(tree.roots), nearest: yield* nearestNodes(tree, limit) }
}

/** The tree as lines of text, safe for a terminal: marks, titles, ids, stamps, long gaps, and the read-head. */
export function renderTree(
  tree: Tree,
  { width, limit }: RenderOptions,
  { gaps: all, nearest }: Surveyed = runToEnd(surveyTree(tree, limit)),
): string[] {
  const shown = cutTree(tree, limit, nearest)
  const gaps = new Map(all.filter(({ severity }) => severity !== "healthy").map((gap) => [gap.to, gap]))
  const branch = (node: ShownNode, own: string, below: string): string[] => {
    const ends = node.children.length - 1
    const rest =
      node.hidden === null || isCollapsed(node) ? [] : [`└── … ${describeHidden(node.hidden, "more ")}`]
    return [
      lineOf(node, gaps.get(node.id), own, width),
      ...node.children.flatMap((child, index) =>
        index === ends && rest.length === 0
          ? branch(child, `${below}└── `, `${below}    `)
          : branch(child, `${below}├── `, `${below}│   `),
      ),
      ...rest.map((line) => `${indent(below)}${line}`),
    ]
  }
  return [
    ...shown.roots.flatMap((root) => branch(root, "", "")),
    ...(shown.hidden === null ? [] : [`… ${describeHidden(shown.hidden, "more ")}`]),
  ]
}

function lineOf(node: ShownNode, gap: Gap | undefined, prefix: string, width: number): string {
  const { status, title, summary, id, stamp } = node
  const start = `${indent(prefix)}[${MARKS[status]}] `
  const text = summary === null ? oneLine(title) : oneLine(`${title}: ${summary}`)
  const kept = [
    ...(node.isCursor ? [HERE] : []),
    ...(STATUSES_OF_MARK.has(status) ? [] : [status]),
    ...(node.hidden !== null && isCollapsed(node) ? [`… ${describeHidden(node.hidden, "")}`] : []),
  ]
  const remarks = [shortId(id), stamp, ...remarkOn(gap)]
  const room = () => width - columnsOf(start) - columnsOf(["", ...kept, ...remarks].join("  "))
  // Deep in the tree there is less room: the remarks are dropped before the title is cut, the last one first.
  while (room() < MIN_TITLE && remarks.length > 0) remarks.pop()
  return [`${start}${fitColumns(text, Math.max(MIN_TITLE, room()))}`, ...kept, ...remarks].join("  ")
}

function remarkOn(gap: Gap | undefined): string[] {
  if (gap === undefined) return []
  return [`+${duration(gap.ms)}${gap.severity === "stale" ? " stale" : ""}`]
}

/** A plan or phase without shown children: the count of hidden ones goes on its own line. */
function isCollapsed({ level, children }: ShownNode): boolean {
  return level !== "task" && children.length === 0
}

/** `12 tasks, 3 open`, or `2 phases: 12 tasks, 3 open`. */
function describeHidden({ level, branches, tasks, open }: Hidden, more: "" | "more "): string {
  const ofTasks = (word: string) => `${counted(tasks, `${word}task`)}, ${open} open`
  return level === "task" ? ofTasks(more) : `${counted(branches, `${more}${level}`)}: ${ofTasks("")}`
}

/** The indentation is bounded, however deep the tree is. */
function indent(prefix: string): string {
  return prefix.slice(-MAX_INDENT)
}

const HERE = "◀ here"
const MIN_TITLE = 16
const MAX_INDENT = 32
const MARKS: Record<ShownNode["status"], string> = {
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
const STATUSES_OF_MARK = new Set<ShownNode["status"]>(["planned", "active", "completed"])
