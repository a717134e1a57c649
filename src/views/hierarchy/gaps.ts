import { compare } from "../../graph/by-age.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import type { Pausing } from "../../shared/slices.ts"
import type { Tree, TreeNode } from "./tree.ts"

type Severity = "healthy" | "warm" | "stale"

/** The time between a node and the one created before it. After a long gap, a model has likely lost the earlier context. */
export interface Gap extends Pause {
  before: string
}

interface Pause {
  ms: number
  severity: Severity
}

/** The gap before each node: the time since its next older sibling was created, or its parent if it is the oldest. */
export function* findGaps(roots: readonly TreeNode[], gaps: Gap[] = []): Pausing<Gap[]> {
  for (const parent of roots) {
    if (parent.summary !== null || parent.children.length === 0) continue
    const byAge = [...parent.children].sort((a, b) => compare(a.created_at, b.created_at))
    for (const [index, node] of byAge.entries()) {
      const from = byAge[index - 1] ?? parent
      // A task that was moved may be older than its new parent. Then the gap is 0.
      const ms = Math.max(0, Date.parse(node.created_at) - Date.parse(from.created_at))
      gaps.push({ before: node.id, ms, severity: severityOf(ms) })
      if (gaps.length % PAUSE_EVERY === 0) yield
    }
    yield* findGaps(parent.children, gaps)
  }
  return gaps
}

export function* gapToNow(state: GraphState, { path }: Tree, now: number): Pausing<Pause | null> {
  if (path.length === 0) return null
  let newest = ""
  let count = 0
  for (const { id, created_at } of withDescendants(path)) {
    const task = state.task.get(id)
    const record = state.phase.get(id) ?? state.plan.get(id)
    const changed = task === undefined ? (record?.updated_at ?? created_at) : lastStepOf(state, task)
    for (const at of [created_at, changed]) if (at > newest) newest = at
    if (++count % PAUSE_EVERY === 0) yield
  }
  const ms = Math.max(0, now - Date.parse(newest))
  return { ms, severity: severityOf(ms) }
}

export function lastStepOf(state: GraphState, { id, updated_at }: Task): string {
  const [newest] = state.checkpoint.by("task_id", id).backwards()
  return newest === undefined || newest.created_at < updated_at ? updated_at : newest.created_at
}

function* withDescendants(path: readonly TreeNode[]): Iterable<TreeNode> {
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
