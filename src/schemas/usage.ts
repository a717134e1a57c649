import * as z from "zod"
import { exact, hostSession, id, line, time } from "./fields.ts"

const tokens = z.number().min(0)

/** What one answer of a model took, by the host's own count, and what it was for. */
export const usage = z.strictObject({
  at: time,
  /** The host's id of the answer: told again, the last word counts. */
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
