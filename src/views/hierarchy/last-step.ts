import type { GraphState } from "../../graph/state.ts"
import type { TreeNode } from "./tree.ts"

/** When each task was last seen to by anybody: its record changed, or a tool left a checkpoint. */
export function lastSteps(state: GraphState): Map<string, string> {
  const last = new Map<string, string>()
  for (const { id, updated_at } of state.task.values()) last.set(id, updated_at)
  for (const { task_id, created_at } of state.checkpoint.values()) {
    if (created_at > (last.get(task_id) ?? "")) last.set(task_id, created_at)
  }
  return last
}

/** The last step on the way to a node, or anywhere below it. */
export function lastStepOn(state: GraphState, path: readonly TreeNode[]): number {
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
