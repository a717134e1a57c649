import { isOverPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/journal.ts"
import { summaryOf } from "./summary.ts"
import { type TreeNode, treeOf } from "./tree.ts"

/** A finished branch with the line it is, or can be, folded into. */
export interface Foldable {
  kind: "plan" | "phase"
  id: string
  title: string
  tasks: number
  summary: string
}

/** Folds every finished branch into a summary. Nothing is deleted: the records stay, and undoing the entry opens it again. */
export async function prune(
  hive: Hive,
  caller: Caller,
): Promise<{ folded: Foldable[]; entry: Entry | null }> {
  const branches = foldable(hive.store.read().state)
  if (branches.length === 0) return { folded: [], entry: null }
  const updated_at = new Date(hive.source.now()).toISOString()
  const { result, entry } = await hive.store.write(authorOf(caller), (tx) => {
    const there = branches.filter(({ kind, id }) => tx.get(kind, id) !== undefined)
    // A task that another process adds meanwhile makes the summary untrue, and an untrue summary folds nothing.
    for (const { kind, id, summary } of there) tx.set(kind, id, { summary, updated_at })
    return there
  })
  return { folded: result, entry }
}

/** Finished branches that stand in the tree in full: plans that are over, and phases of the others with no open task. */
export function foldable(state: GraphState): Foldable[] {
  const { roots } = treeOf(state, undefined)
  return roots.flatMap((root) => {
    const plan = state.plan.get(root.id)
    if (plan === undefined || root.summary !== null) return []
    if (isOverPlan(plan) && root.open === 0) return [branchOf("plan", root, plan.reason)]
    return root.children
      .filter((node) => node.level === "phase" && node.summary === null && node.tasks > 0 && node.open === 0)
      .map((node) => branchOf("phase", node, null))
  })
}

function branchOf(kind: Foldable["kind"], node: TreeNode, reason: string | null): Foldable {
  const { id, title, tasks } = node
  return { kind, id, title, tasks, summary: summaryOf(node, reason) }
}
