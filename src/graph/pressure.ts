import type { TokenCounts } from "../schemas/usage.ts"
import { numberIn, registersOf } from "./metrics.ts"
import type { GraphState } from "./state.ts"
import type { Transaction } from "./transaction.ts"

/** How full a session's window is, by the host's own count of its last answer. */
export interface Pressure {
  tokens: number
  window: number
  share: number
}

/** Undefined before the first answer, after a compaction, and where the host does not know the window. */
export function pressureOf(state: GraphState, session: string | null): Pressure | undefined {
  const registers = registersOf(state, session)
  const [tokens, window] = [numberIn(registers, TOKENS), numberIn(registers, WINDOW)]
  return tokens > 0 && window > 0 ? { tokens, window, share: tokens / window } : undefined
}

/** The next request begins with the whole last request and its answer. Reasoning is not sent again. */
export function notePressure(tx: Transaction, session: string, counts: TokenCounts, window: number): void {
  tx.register(session, TOKENS, counts.input + counts.cache_write + counts.cache_read + counts.output)
  tx.register(session, WINDOW, window)
}

/** The conversation was replaced by a summary: the next answer reports its new length. */
export function forgetPressure(tx: Transaction, session: string): void {
  tx.register(session, TOKENS, 0)
}

const TOKENS = "context_tokens"
const WINDOW = "context_window"
