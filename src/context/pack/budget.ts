/** Tokens for the block: a share of the model's window, within bounds; a subagent gets less. */
export function budgetFor(window: number | undefined, share: number, isScoped = false): number {
  const wanted = Math.floor((window ?? ASSUMED_WINDOW) * Math.min(share, MAX_SHARE))
  const isDefault = share <= DEFAULT_SHARE
  const bounded = Math.max(MIN_TOKENS, isDefault ? Math.min(wanted, MAX_TOKENS) : wanted)
  // In a very small window even the least would be too much.
  const fitting = window === undefined ? bounded : Math.min(bounded, Math.floor(window * MAX_SHARE))
  return isScoped ? Math.floor(fitting / SCOPED_DIVISOR) : fitting
}

export const DEFAULT_SHARE = 0.03
const MAX_SHARE = 0.15
const MIN_TOKENS = 3750
const MAX_TOKENS = 8000
const ASSUMED_WINDOW = 128_000
const SCOPED_DIVISOR = 2
