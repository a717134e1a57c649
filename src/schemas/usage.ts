import * as z from "zod"
import { exact, hostSession, id, line, time } from "./fields.ts"

const tokens = z.number().min(0)

/** Tokens and cost of one answer of a model, by the host's own count, and the work it was for. */
export const usage = z.strictObject({
  at: time,
  /** The host's id of the answer: if reported again, the last report counts. */
  message: exact(z.string().min(1).max(200)),
  session: hostSession,
  /** Whose subagent answered. */
  parent: hostSession.nullable(),
  agent: line.nullable(),
  model: line,
  task: id.nullable(),
  plan: id.nullable(),
  delegation: id.nullable(),
  /** Read anew; written to the provider's cache; read from there; answered; thought. */
  input: tokens,
  cache_write: tokens,
  cache_read: tokens,
  output: tokens,
  reasoning: tokens,
  /** In dollars; 0 where the host does not know the price. */
  cost: tokens,
})
export type Usage = z.infer<typeof usage>

export type TokenCounts = Pick<Usage, "input" | "cache_write" | "cache_read" | "output" | "reasoning">

/** Tokens and cost of several answers together. */
export interface Spent extends TokenCounts {
  answers: number
  /** In dollars; 0 where the host does not know the price. */
  cost: number
}

export function nothing(): Spent {
  return { answers: 0, input: 0, cache_write: 0, cache_read: 0, output: 0, reasoning: 0, cost: 0 }
}

/** -1 takes an answer back that was reported anew. */
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
