import type { Answer } from "../prune/prune.ts"

export interface SeenMessage {
  id: string
  role: "user" | "assistant"
  text: string
  /** In ms. A fork's copy of a message has the same time, but another id. */
  sentAt?: number | undefined
  isCompactionRequest: boolean
  answer?: Answer | undefined
  /** The message's length in characters without the outputs that were removed; undefined if the host does not say. */
  charsWithout?: ((removals: ReadonlyMap<string, string>) => number) | undefined
}

export interface SeenModel {
  name: string | undefined
  window: number | undefined
  /** The most bytes that the host adds to one message; undefined for no limit. */
  maxBytes?: number | undefined
}

/** Estimates a conversation's tokens without HiveMind's own text. */
export function conversationTokens(
  messages: readonly SeenMessage[],
  removals: ReadonlyMap<string, string>,
): number {
  const chars = messages.reduce((sum, message) => sum + (message.charsWithout?.(removals) ?? 0), 0)
  return Math.floor(chars / CHARS_PER_TOKEN)
}

const CHARS_PER_TOKEN = 4
