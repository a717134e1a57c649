import type { GraphState } from "../../graph/state.ts"
import { lastStepOn } from "./last-step.ts"
import type { Tree, TreeNode } from "./tree.ts"

type Severity = "healthy" | "warm" | "stale"

/** Time without a step between two nodes: where it is long, what was in mind then is likely gone. */
export interface Gap {
  /** Ids. */
  from: string
  to: string
  relation: "parent-child" | "sibling"
  ms: number
  severity: Severity
}

/** The time before each node: since its elder sibling was made, or, for the eldest, since its parent was. */
export function gapsOf(roots: readonly TreeNode[]): Gap[] {
  return roots.flatMap((parent) => {
    if (parent.summary !== null) return []
    const born = [...parent.children].sort((a, b) => a.created_at.localeCompare(b.created_at))
    const own = born.map((node, index) => gapBetween(born[index - 1], node, parent))
    return [...own, ...gapsOf(parent.children)]
  })
}

/**
 * How long ago the last step was, on the way to the read-head or below it; null where it stands nowhere. Not the time
 * since those nodes were made: a plan of many tasks is made at once, and worked on for days.
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
  // A task that was moved may be older than where it stands now; that is no gap.
  const ms = Math.max(0, Date.parse(node.created_at) - Date.parse(from.created_at))
  const relation = elder === undefined ? "parent-child" : "sibling"
  return { from: from.id, to: node.id, relation, ms, severity: severityOf(ms) }
}

export function severityOf(ms: number): Severity {
  if (ms < WARM_FROM_MS) return "healthy"
  return ms < STALE_FROM_MS ? "warm" : "stale"
}

const WARM_FROM_MS = 30 * 60_000
const STALE_FROM_MS = 2 * 3_600_000
