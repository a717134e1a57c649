import type { TokenCounts, Usage } from "./usage.ts"

/** What answers took together. */
export interface Spent extends TokenCounts {
  answers: number
  /** In dollars; 0 where the host does not know the price. */
  cost: number
}

export function nothing(): Spent {
  return { answers: 0, input: 0, cache_write: 0, cache_read: 0, output: 0, reasoning: 0, cost: 0 }
}

/** -1 takes an answer back that was told anew. */
export function addAnswer(sum: Spent, answer: Usage, sign: 1 | -1 = 1): void {
  sum.answers += sign
  for (const field of FIELDS) sum[field] += sign * answer[field]
}

export function addSpent(sum: Spent, more: Spent): void {
  sum.answers += more.answers
  for (const field of FIELDS) sum[field] += more[field]
}

/** The sum under a key, which begins with nothing. */
export function spentUnder(sums: Map<string, Spent>, key: string): Spent {
  const there = sums.get(key) ?? nothing()
  sums.set(key, there)
  return there
}

const FIELDS = ["input", "cache_write", "cache_read", "output", "reasoning", "cost"] as const
