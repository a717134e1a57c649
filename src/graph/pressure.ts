import type { TokenCounts } from "../schemas/usage.ts"
import { numberIn, registersOf } from "./metrics.ts"
import type { GraphState } from "./state.ts"
import type { Transaction } from "./transaction.ts"

/** How full a session's context window is, by the host's token count of the last answer. */
export interface Pressure {
  tokens: number
  window: number
  share: number
}

/** Undefined before the first answer, after a compaction, or if the window's size is unknown. */
export function pressureOf(state: GraphState, session: string | null): Pressure | undefined {
  const registers = registersOf(state, session)
  const [tokens, window] = [numberIn(registers, TOKENS), numberIn(registers, WINDOW)]
  return tokens > 0 && window > 0 ? { tokens, window, share: tokens / window } : undefined
}

/** Saves the number of tokens that the next request has at least: the last request and its answer, without the reasoning. */
export function notePressure(tx: Transaction, session: string, counts: TokenCounts, window: number): void {
  tx.register(session, TOKENS, counts.input + counts.cache_write + counts.cache_read + counts.output)
  tx.register(session, WINDOW, window)
}

export function forgetPressure(tx: Transaction, session: string): void {
  tx.register(session, TOKENS, 0)
}

const TOKENS = "context_tokens"
const WINDOW = "context_window"
