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

/** Estimates a conversation's tokens without HiveMind's parts. Counts all messages again after 25 % growth, else the new ones. */
export function conversationLengths() {
  const counts = new Map<string, Count>()
  return (
    session: string,
    messages: readonly SeenMessage[],
    removals: ReadonlyMap<string, string>,
  ): number => {
    const before = counts.get(session)
    const isLonger =
      before !== undefined &&
      before.removals === removals.size &&
      messages[before.count - 1]?.id === before.lastId &&
      messages.length <= before.fullCount * RECOUNT_AT
    const known = isLonger ? before : { fullCount: messages.length, count: 0, chars: 0 }
    const chars = messages
      .slice(known.count)
      .reduce((sum, message) => sum + (message.charsWithout?.(removals) ?? 0), known.chars)
    const lastId = messages.at(-1)?.id ?? ""
    const { fullCount } = known
    counts.set(session, { fullCount, count: messages.length, lastId, chars, removals: removals.size })
    return Math.floor(chars / CHARS_PER_TOKEN)
  }
}

/** `fullCount` is how many messages there were at the last full count. */
type Count = Record<"fullCount" | "count" | "chars" | "removals", number> & { lastId: string }

const CHARS_PER_TOKEN = 4
const RECOUNT_AT = 1.25
