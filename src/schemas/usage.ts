import * as z from "zod"
import { exact, hostSession, id, line, time } from "./fields.ts"

const tokens = z.number().min(0)

/** Tokens and cost of one answer of a model, as the host reports them, with the task it belongs to. */
export const usage = z.strictObject({
  at: time,
  /** The host's id of the answer. If the host reports an answer twice, the last report counts. */
  message: exact(z.string().min(1).max(200)),
  session: hostSession,
  /** The session that started this one, if a subagent answered. */
  parent: hostSession.nullable(),
  agent: line.nullable(),
  model: line,
  task: id.nullable(),
  plan: id.nullable(),
  delegation: id.nullable(),
  /** In the order of the fields: uncached input; written to the provider's cache; read from it; answer; reasoning. */
  input: tokens,
  cache_write: tokens,
  cache_read: tokens,
  output: tokens,
  reasoning: tokens,
  /** In US dollars; 0 if the host does not know the price. */
  cost: tokens,
})
export type Usage = z.infer<typeof usage>

export type TokenCounts = Pick<Usage, "input" | "cache_write" | "cache_read" | "output" | "reasoning">

export interface Spent extends TokenCounts {
  answers: number
  cost: number
}

export function nothing(): Spent {
  return { answers: 0, input: 0, cache_write: 0, cache_read: 0, output: 0, reasoning: 0, cost: 0 }
}

/** Adds an answer to `sum`. Sign -1 subtracts it, because the host has reported the answer again with new numbers. */
export function addAnswer(sum: Spent, answer: Usage, sign: 1 | -1 = 1): void {
  sum.answers += sign
  for (const field of FIELDS) sum[field] += sign * answer[field]
}

export function addSpent(sum: Spent, more: Spent): void {
  sum.answers += more.answers
  for (const field of FIELDS) sum[field] += more[field]
}

export function spentUnder(sums: Map<string, Spent>, key: string): Spent {
  const there = sums.get(key) ?? nothing()
  sums.set(key, there)
  return there
}

const FIELDS = ["input", "cache_write", "cache_read", "output", "reasoning", "cost"] as const
