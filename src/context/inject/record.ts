import * as z from "zod"
import { severities } from "../../watch/signals.ts"
import type { Known } from "../pack/delta.ts"
import type { PackedItem } from "../pack/fit-block.ts"
import { factsOf, hashOf, itemKinds, itemRoles, keyOf, sections } from "../pack/item.ts"
import { removal } from "../prune/prune.ts"

const reference = z.strictObject({
  kind: z.enum(itemKinds),
  id: z.string(),
  role: z.enum(itemRoles),
  on: z.string().optional(),
})

const item = reference.extend({
  identity: z.record(z.string(), z.string()),
  section: z.enum(sections),
  reason: z.string(),
  status: z.string().optional(),
  waits: z.string().optional(),
  description: z.string().optional(),
  severity: z.enum(severities).optional(),
  hash: z.string(),
  tokens: z.number(),
})

const dropped = z.strictObject({
  section: z.enum(sections),
  reason: z.string(),
  count: z.number(),
  examples: z.array(reference),
})

/** The injection of one user message, byte for byte, for as long as the session lives; with reasons. */
export const injection = z.strictObject({
  message: z.string().min(1),
  /** In ms; identifies the copies of the message in forks. */
  sent: z.number().optional(),
  at: z.iso.datetime(),
  kind: z.enum(["keyframe", "delta", "none"]),
  /** The synthetic parts, in order. */
  parts: z.array(z.string()),
  tokens: z.number(),
  /** Tokens of text that the model already had in sight. */
  repeated: z.number().default(0),
  budget: z.number(),
  items: z.array(item),
  /** Items of earlier messages that do not hold any more. */
  gone: z.array(reference),
  dropped: z.array(dropped),
  reason: z.string(),
  /** After this message, how near long prompts have brought the next full state: see `scorePrompt`. */
  score: z.number(),
  /** Old tool output that is replaced from this message on. */
  pruned: z.array(removal).default([]),
  /** How far the session was off its course when the message came. */
  drift: z
    .strictObject({
      score: z.number(),
      signals: z.array(z.string()),
      /** Each active signal with its figure, in words. */
      found: z.array(z.string()).optional(),
      calls: z.strictObject({ all: z.number(), failed: z.number() }).optional(),
    })
    .optional(),
})
export type Injection = z.infer<typeof injection>
export type InjectedItem = z.infer<typeof item>

export function injectedItem(packed: PackedItem): InjectedItem {
  return { ...factsOf(packed), hash: hashOf(packed.full), tokens: packed.tokens }
}

/** For a message that carries nothing. */
export function noInjection(message: string, now: number, reason: string, score: number): Injection {
  return {
    message,
    at: new Date(now).toISOString(),
    kind: "none",
    parts: [],
    tokens: 0,
    repeated: 0,
    budget: 0,
    items: [],
    gone: [],
    dropped: [],
    reason,
    score,
    pruned: [],
  }
}

type Told = Pick<Injection, "items" | "gone">

/** Items that the model knows after reading these injections in order. Extends the result for all but the last: a session can have hundreds. */
export function knownFrom(injections: readonly Told[]): ReadonlyMap<string, Known> {
  const [first, last, before] = [injections[0], injections.at(-1), injections.at(-2)]
  if (first === undefined || last === undefined) return new Map()
  const cached = results.get(last)
  if (cached?.first === first && cached.count === injections.length) return cached.known
  const earlier = before === undefined ? undefined : results.get(before)
  const isNext = earlier?.first === first && earlier.count === injections.length - 1
  const known = isNext ? earlier.known : new Map<string, Known>()
  for (const { items, gone } of isNext ? [last] : injections) {
    for (const each of items) known.set(keyOf(each), each)
    for (const each of gone) known.delete(keyOf(each))
  }
  if (before !== undefined && isNext) results.delete(before)
  results.set(last, { first, count: injections.length, known })
  return known
}

/** By the last injection. */
const results = new WeakMap<Told, { first: Told; count: number; known: Map<string, Known> }>()
