import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import type { Tree, TreeNode } from "../hierarchy/tree.ts"

export interface Ref {
  kind: Kind
  id: string
}

export interface Surroundings {
  /** From the plan down to its parent. */
  path: Ref[]
  siblings: Ref[]
  children: Ref[]
}

/** The path, siblings and children of a record: in the tree if it is there, otherwise by the task or plan it belongs to. */
export function surroundingsOf(
  state: GraphState,
  { roots }: Tree,
  kind: Kind,
  record: AnyRecord,
): Surroundings {
  const found = pathTo(roots, record.id)
  const node = found.at(-1)
  if (node !== undefined) {
    const beside = (found.at(-2)?.children ?? roots).filter((each) => each !== node)
    return { path: refs(found.slice(0, -1)), siblings: refs(beside), children: refs(node.children) }
  }
  const owner = ownerId(record)
  if (owner === undefined) return { path: [], siblings: [], children: [] }
  const siblings = [...recordsOf(state, kind).values()]
    .filter((other) => other.id !== record.id && ownerId(other) === owner)
    .map(({ id }) => ({ kind, id }))
    .reverse()
  return { path: refs(pathTo(roots, owner)), siblings, children: [] }
}

/** From a root down to the node of that id; empty if it is not in the tree. */
function pathTo(nodes: TreeNode[], id: string): TreeNode[] {
  for (const node of nodes) {
    if (node.id === id) return [node]
    const below = pathTo(node.children, id)
    if (below.length > 0) return [node, ...below]
  }
  return []
}

function ownerId(record: AnyRecord): string | undefined {
  if ("origin_task_id" in record) return record.origin_task_id ?? undefined
  if ("plan_id" in record) return record.task_id ?? record.plan_id ?? undefined
  return "task_id" in record ? record.task_id : undefined
}

function refs(nodes: TreeNode[]): Ref[] {
  return nodes.map(({ level, id }) => ({ kind: level, id }))
}
