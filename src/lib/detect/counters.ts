import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"

/** A counter of a session; 0 where nothing was counted. */
export function countOf(state: GraphState, session: string, name: string): number {
  return state.metrics.get(session)?.counts[name] ?? 0
}

/**
 * Sets a counter by adding the difference, so that it commutes like every other count. Two processes that set the same
 * one at the same moment both add theirs; the next who sets it puts that right.
 */
export function setCount(
  tx: Transaction,
  state: GraphState,
  session: string,
  name: string,
  value: number,
): void {
  const difference = value - countOf(state, session, name)
  if (difference !== 0) tx.count(session, name, difference)
}
