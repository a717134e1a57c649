import * as z from "zod"
import { severities } from "../../watch/warning.ts"
import type { PackedItem } from "../pack/block.ts"
import type { Known } from "../pack/delta.ts"
import { factsOf, itemKinds, itemRoles, keyOf, sections } from "../pack/item.ts"
import { hashOf } from "../pack/text-hash.ts"
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

/** What one user message carries, byte for byte, for as long as the session lives; and why. */
export const injection = z.strictObject({
  message: z.string().min(1),
  /** When the message was sent (ms), by which a fork's copies of it are known. */
  sent: z.number().optional(),
  at: z.iso.datetime(),
  kind: z.enum(["keyframe", "delta", "none"]),
  /** The synthetic parts, in order. */
  parts: z.array(z.string()),
  tokens: z.number(),
  /** Of those, what the model had in sight already. */
  repeated: z.number().default(0),
  budget: z.number(),
  items: z.array(item),
  /** What earlier messages say and is no longer so. */
  gone: z.array(reference),
  dropped: z.array(dropped),
  /** Why there is a keyframe, or nothing. */
  reason: z.string(),
  /** The prompt score after this message. */
  score: z.number(),
  /** Old tool output that is a short note from this message on. */
  pruned: z.array(removal).default([]),
  /** How far the session was off its course when the message came. */
  drift: z
    .strictObject({
      score: z.number(),
      signals: z.array(z.string()),
      /** Each pattern that was there, with its figure, in words. */
      found: z.array(z.string()).optional(),
      /** Of the session up to then. */
      calls: z.strictObject({ all: z.number(), failed: z.number() }).optional(),
    })
    .optional(),
})
export type Injection = z.infer<typeof injection>
export type InjectedItem = z.infer<typeof item>

export function injectedItem(packed: PackedItem): InjectedItem {
  return { ...factsOf(packed), hash: hashOf(packed.full), tokens: packed.tokens }
}

/** A message that carries nothing of ours. */
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

/** What the model knows after reading these, in order. Kept until the next one is read: a session can have hundreds. */
export function knownFrom(injections: readonly Told[]): ReadonlyMap<string, Known> {
  const [first, last, before] = [injections[0], injections.at(-1), injections.at(-2)]
  if (first === undefined || last === undefined) return new Map()
  const there = readings.get(last)
  if (there?.first === first && there.count === injections.length) return there.known
  const earlier = before === undefined ? undefined : readings.get(before)
  const isNext = earlier?.first === first && earlier.count === injections.length - 1
  const known = isNext ? earlier.known : new Map<string, Known>()
  for (const { items, gone } of isNext ? [last] : injections) {
    for (const each of items) known.set(keyOf(each), each)
    for (const each of gone) known.delete(keyOf(each))
  }
  if (before !== undefined && isNext) readings.delete(before)
  readings.set(last, { first, count: injections.length, known })
  return known
}

type Told = Pick<Injection, "items" | "gone">

/** By the last one that was read. Only ever used for the same injections, or for those and one more. */
const readings = new WeakMap<Told, { first: Told; count: number; known: Map<string, Known> }>()
