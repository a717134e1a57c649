import type { GraphState } from "../../graph/state.ts"
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
  return roots.flatMap((parent) => {
    if (parent.summary !== null) return []
    const born = [...parent.children].sort((a, b) => a.created_at.localeCompare(b.created_at))
    const own = born.map((node, index) => gapBetween(born[index - 1], node, parent))
    return [...own, ...gapsOf(parent.children)]
  })
}

/**
 * The time since the last step on the read-head's path or below it; null without a read-head. Steps, not creation
 * times: a plan of many tasks is created at once and worked on for days.
 */
export function gapToNow(
  state: GraphState,
  { path }: Tree,
  now: number,
): { ms: number; severity: Severity } | null {
  if (path.length === 0) return null
  const ms = Math.max(0, now - lastStepOn(state, path))
  return { ms, severity: severityOf(ms) }
}

function gapBetween(elder: TreeNode | undefined, node: TreeNode, parent: TreeNode): Gap {
  const from = elder ?? parent
  // A task that was moved may be older than its new parent; that is no gap.
  const ms = Math.max(0, Date.parse(node.created_at) - Date.parse(from.created_at))
  const relation = elder === undefined ? "parent-child" : "sibling"
  return { from: from.id, to: node.id, relation, ms, severity: severityOf(ms) }
}

/** When each task last changed: its record, or a checkpoint of it. */
export function lastSteps(state: GraphState): Map<string, string> {
  const last = new Map<string, string>()
  for (const { id, updated_at } of state.task.values()) last.set(id, updated_at)
  for (const { task_id, created_at } of state.checkpoint.values()) {
    if (created_at > (last.get(task_id) ?? "")) last.set(task_id, created_at)
  }
  return last
}

function lastStepOn(state: GraphState, path: readonly TreeNode[]): number {
  const steps = lastSteps(state)
  let newest = ""
  const visit = ({ id, created_at, children }: TreeNode, isDeep: boolean) => {
    const changed = steps.get(id) ?? (state.phase.get(id) ?? state.plan.get(id))?.updated_at ?? created_at
    for (const at of [created_at, changed]) if (at > newest) newest = at
    if (isDeep) for (const child of children) visit(child, true)
  }
  for (const node of path) visit(node, node === path.at(-1))
  return Date.parse(newest)
}

export function severityOf(ms: number): Severity {
  if (ms < WARM_FROM_MS) return "healthy"
  return ms < STALE_FROM_MS ? "warm" : "stale"
}

const WARM_FROM_MS = 30 * 60_000
const STALE_FROM_MS = 2 * 3_600_000
