import { upgradeMetrics } from "../schemas/format-1.ts"
import { type Op, setOp } from "../schemas/op.ts"
import { changeBetween } from "./change.ts"
import { applyOp, type GraphState } from "./state.ts"

/**
 * Brings a state that was made of format 1 to today's shape, and returns the ops that do so. Only metrics need it:
 * what a counter of format 1 held is known once it is summed. Everything else is converted where it is read.
 */
export function upgradeState(state: GraphState): Op[] {
  const ops = [...state.metrics.values()].flatMap((metrics) => {
    const change = changeBetween(metrics, upgradeMetrics(metrics))
    return change === undefined ? [] : [setOp("metrics", metrics.id, change.to, change.was)]
  })
  for (const op of ops) applyOp(state, op)
  return ops
}
