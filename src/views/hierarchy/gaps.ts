import { compare } from "../../graph/by-age.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import { type Pausing, runToEnd } from "../../shared/slices.ts"
import type { Tree, TreeNode } from "./tree.ts"

type Severity = "healthy" | "warm" | "stale"

/** Time without a step between two nodes. After a long one, the context of the first is likely lost. */
export interface Gap {
  /** Ids. */
  from: string
  to: string
  relation: "parent-child" | "sibling"
  ms: number
  severity: Severity
}

/** The gap before each node: since its elder sibling was created or, for the eldest, since its parent was. */
export function gapsOf(roots: readonly TreeNode[]): Gap[] {
  return runToEnd(findGaps(roots))
}

/** The same with pauses. */
export function* findGaps(roots: readonly TreeNode[], gaps: Gap[] = []): Pausing<Gap[]> {
  for (const parent of roots) {
    if (parent.summary !== null || parent.children.length === 0) continue
    const born = [...parent.children].sort((a, b) => compare(a.created_at, b.created_at))
    for (const [index, node] of born.entries()) {
      gaps.push(gapBetween(born[index - 1], node, parent))
      if (gaps.length % PAUSE_EVERY === 0) yield
    }
    yield* findGaps(parent.children, gaps)
  }
  return gaps
}

/**
 * The time since the last step on the read-head's path or below it; null without a read-head. Steps, not creation
 * times: a plan of many tasks is created at once and worked on for days.
 */
export function* gapToNow(
  state: GraphState,
  { path }: Tree,
  now: number,
): Pausing<{ ms: number; severity: Severity } | null> {
  if (path.length === 0) return null
  const ms = Math.max(0, now - (yield* lastStepOn(state, path)))
  return { ms, severity: severityOf(ms) }
}

function gapBetween(elder: TreeNode | undefined, node: TreeNode, parent: TreeNode): Gap {
  const from = elder ?? parent
  // A task that was moved may be older than its new parent; that is no gap.
  const ms = Math.max(0, Date.parse(node.created_at) - Date.parse(from.created_at))
  const relation = elder === undefined ? "parent-child" : "sibling"
  return { from: from.id, to: node.id, relation, ms, severity: severityOf(ms) }
}

/** When a task last changed: its record, or a checkpoint of it. */
export function lastStepOf(state: GraphState, { id, updated_at }: Task): string {
  const [newest] = state.checkpoint.by("task_id", id).backwards()
  return newest === undefined || newest.created_at < updated_at ? updated_at : newest.created_at
}

function* lastStepOn(state: GraphState, path: readonly TreeNode[]): Pausing<number> {
  let newest = ""
  let count = 0
  for (const node of nodesOn(path)) {
    const { id, created_at } = node
    const task = state.task.get(id)
    const changed =
      task === undefined
        ? ((state.phase.get(id) ?? state.plan.get(id))?.updated_at ?? created_at)
        : lastStepOf(state, task)
    for (const at of [created_at, changed]) if (at > newest) newest = at
    if (++count % PAUSE_EVERY === 0) yield
  }
  return Date.parse(newest)
}

/** The nodes of a path, and all below its last one. */
function* nodesOn(path: readonly TreeNode[]): Iterable<TreeNode> {
  yield* path
  const open = [...(path.at(-1)?.children ?? [])]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    for (const child of node.children) open.push(child)
  }
}

export function severityOf(ms: number): Severity {
  if (ms < WARM_FROM_MS) return "healthy"
  return ms < STALE_FROM_MS ? "warm" : "stale"
}

const WARM_FROM_MS = 30 * 60_000
const STALE_FROM_MS = 2 * 3_600_000
const PAUSE_EVERY = 500
