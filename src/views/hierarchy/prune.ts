import { isOverPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { runInSlices } from "../../shared/slices.ts"
import { summaryOf } from "./summary.ts"
import { growTree, type Tree, type TreeNode, treeOf } from "./tree.ts"

/** A finished branch with its summary line. */
export interface Foldable {
  kind: "plan" | "phase"
  id: string
  title: string
  tasks: number
  summary: string
}

/** Folds every finished branch into a summary. Nothing is deleted: the records stay, and undoing the entry unfolds it. */
export async function prune(
  hive: Hive,
  caller: Caller,
): Promise<{ folded: Foldable[]; entry: Entry | null }> {
  const { state } = hive.store.read()
  const branches = foldable(state, await runInSlices(growTree(state, undefined)))
  if (branches.length === 0) return { folded: [], entry: null }
  const updated_at = new Date(hive.source.now()).toISOString()
  const { result, entry } = await hive.store.write(authorOf(caller), (tx) => {
    const existing = branches.filter(({ kind, id }) => tx.get(kind, id) !== undefined)
    // If another process adds a task meanwhile, the summary no longer matches, and the branch stays unfolded.
    for (const { kind, id, summary } of existing) tx.set(kind, id, { summary, updated_at })
    return existing
  })
  return { folded: result, entry }
}

/** Finished branches that are not folded: plans that are over, and phases of other plans without an open task. */
export function foldable(state: GraphState, { roots }: Tree = treeOf(state, undefined)): Foldable[] {
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
