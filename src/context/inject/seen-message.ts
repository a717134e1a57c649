import type { Answer } from "../prune/prune.ts"
import type { Injection } from "./record.ts"

/** A message of the conversation, as a host reports it. */
export interface SeenMessage extends Sized {
  role: "user" | "assistant"
  text: string
  /** In ms. */
  sentAt?: number | undefined
  /** The host asks for a compaction with it. */
  isCompactionRequest: boolean
  /** For the model's answers. */
  answer?: Answer | undefined
}

export interface Sized {
  id: string
  /** Length in characters without the outputs of these calls. A host that cannot tell gets nothing repeated. */
  charsWithout?: ((removals: ReadonlyMap<string, string>) => number) | undefined
}

/** The model that answers. */
export interface SeenModel {
  /** With its provider, if the host has several. */
  name: string | undefined
  window: number | undefined
  /** The most that the host adds to one message. Undefined: no limit. */
  maxBytes?: number | undefined
}

/** How many tokens may repeat text that the model has in sight: a share of the conversation, less earlier repeats. */
export function repeatAllowance(
  visible: readonly Pick<Injection, "repeated">[],
  conversationTokens: number,
): number {
  const repeated = visible.reduce((sum, each) => sum + each.repeated, 0)
  return Math.floor(conversationTokens * REPEAT_SHARE) - repeated
}

/**
 * Estimates the tokens of each session's conversation without our parts, rather too low. A conversation can have thousands
 * of messages, so only new ones are counted; all again once a quarter more have come, because the host clears old output.
 */
export function conversationLengths() {
  const counts = new Map<string, Count>()
  return (session: string, messages: readonly Sized[], removals: ReadonlyMap<string, string>): number => {
    const before = counts.get(session)
    const isLonger =
      before !== undefined &&
      before.removals === removals.size &&
      messages[before.count - 1]?.id === before.lastId &&
      messages.length <= before.whole * RECOUNT_AT
    const known = isLonger ? before : { whole: messages.length, count: 0, chars: 0 }
    const chars = messages
      .slice(known.count)
      .reduce((sum, message) => sum + (message.charsWithout?.(removals) ?? 0), known.chars)
    const lastId = messages.at(-1)?.id ?? ""
    counts.set(session, {
      whole: known.whole,
      count: messages.length,
      lastId,
      chars,
      removals: removals.size,
    })
    return Math.floor(chars / CHARS_PER_TOKEN)
  }
}

interface Count {
  /** Messages when all were last counted. */
  whole: number
  /** Messages counted so far. */
  count: number
  lastId: string
  chars: number
  removals: number
}

const REPEAT_SHARE = 0.03
const CHARS_PER_TOKEN = 4
const RECOUNT_AT = 1.25
