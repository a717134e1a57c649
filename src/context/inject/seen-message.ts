import type { Answer } from "../prune/prune.ts"
import type { WrittenAnswer } from "./model-scripts.ts"
import type { Sized } from "./repeats.ts"

/** A message of the conversation, as far as injection has to know it. */
export interface SeenMessage extends Sized {
  id: string
  role: "user" | "assistant"
  text: string
  /** When it was sent (ms), where the host says so. */
  sentAt?: number | undefined
  /** The host asks for a compaction with it; nobody has said it. */
  isCompactionRequest: boolean
  /** Of the model's answers. */
  answer?: Answer | undefined
  /** Of the model's finished answers: what they have cost, by its own count. */
  counted?: WrittenAnswer | undefined
}

/** The model that answers, as far as the host says. */
export interface SeenModel {
  /** With its provider, where the host has several. */
  name: string | undefined
  /** How many tokens it takes. */
  window: number | undefined
}

/** What the model has said between the newest user message and the one before. */
export function answersToLast(messages: readonly SeenMessage[]): WrittenAnswer[] {
  const newest = messages.findLastIndex(({ role }) => role === "user")
  const asked = messages.findLastIndex(({ role }, index) => role === "user" && index < newest)
  return messages.slice(asked + 1, Math.max(newest, 0)).flatMap(({ counted }) => counted ?? [])
}
