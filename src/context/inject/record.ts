import * as z from "zod"
import { sections } from "../pack/item.ts"

const item = z.strictObject({
  key: z.string(),
  hash: z.string(),
  ref: z.string(),
  section: z.enum(sections),
  reason: z.string(),
  tokens: z.number(),
})

const dropped = z.strictObject({
  section: z.enum(sections),
  reason: z.string(),
  count: z.number(),
  keys: z.array(z.string()),
})

const removal = z.strictObject({ call: z.string(), text: z.string() })

/** What one user message carries, byte for byte, for as long as the session lives; and why. */
export const injection = z.strictObject({
  message: z.string().min(1),
  at: z.iso.datetime(),
  kind: z.enum(["keyframe", "delta", "none"]),
  /** The synthetic parts, in order. */
  parts: z.array(z.string()),
  tokens: z.number(),
  budget: z.number(),
  items: z.array(item),
  gone: z.array(z.string()),
  dropped: z.array(dropped),
  /** Why there is a keyframe, or nothing. */
  reason: z.string(),
  /** The prompt score after this message. */
  score: z.number(),
  /** Old tool output that is a short note from this message on. */
  pruned: z.array(removal).default([]),
})
export type Injection = z.infer<typeof injection>
