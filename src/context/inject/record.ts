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

/** The text that HiveMind adds to a user message, byte for byte, with its reason. Kept for as long as the session. */
export const injection = z.strictObject({
  message: z.string().min(1),
  sent: z.number().optional(),
  at: z.iso.datetime(),
  kind: z.enum(["keyframe", "delta", "none"]),
  parts: z.array(z.string()),
  tokens: z.number(),
  /** Tokens of text that the model could already see. */
  repeated: z.number().default(0),
  budget: z.number(),
  items: z.array(item),
  gone: z.array(reference),
  dropped: z.array(dropped),
  reason: z.string(),
  /** Grows with long prompts, up to the value at which the next full state is due: see `scorePrompt`. */
  score: z.number(),
  pruned: z.array(removal).default([]),
  drift: z
    .strictObject({
      score: z.number(),
      signals: z.array(z.string()),
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

/** Computes the facts that these injections told the model. Adds the last to the cached result of the others: there can be hundreds. */
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

const results = new WeakMap<Told, { first: Told; count: number; known: Map<string, Known> }>()
