import type { Injection } from "./record.ts"

/**
 * How many tokens may be said again that the model has in sight already: a share of what others have said, less what was
 * repeated before. Whoever chats a little is not drowned in states; after a long way, one more is hardly noticed.
 */
export function repeatAllowance(
  visible: readonly Pick<Injection, "repeated">[],
  conversationTokens: number,
): number {
  const repeated = visible.reduce((sum, each) => sum + each.repeated, 0)
  return Math.floor(conversationTokens * REPEAT_SHARE) - repeated
}

/**
 * How long each session's conversation is without what is ours, in tokens: rather too few than too many. Only what came
 * since the last look is counted, because a conversation can have thousands of messages; all of it again when a quarter more
 * have come, because the host clears old output without a word.
 */
export function conversationLengths() {
  const looks = new Map<string, Look>()
  return (session: string, messages: readonly Sized[], removals: ReadonlyMap<string, string>): number => {
    const before = looks.get(session)
    const isLonger =
      before !== undefined &&
      before.removals === removals.size &&
      messages[before.count - 1]?.id === before.lastId &&
      messages.length <= before.whole * RECOUNT_AT
    const look = isLonger ? before : { whole: messages.length, count: 0, chars: 0 }
    const chars = messages
      .slice(look.count)
      .reduce((sum, message) => sum + (message.charsWithout?.(removals) ?? 0), look.chars)
    const lastId = messages.at(-1)?.id ?? ""
    looks.set(session, { whole: look.whole, count: messages.length, lastId, chars, removals: removals.size })
    return Math.floor(chars / CHARS_PER_TOKEN)
  }
}

interface Look {
  /** How many messages there were when all were counted. */
  whole: number
  count: number
  lastId: string
  chars: number
  removals: number
}

/** Anything of the conversation that knows its length. */
export interface Sized {
  id: string
  /** In characters, without the outputs of these calls. A host that cannot say it has nothing said twice. */
  charsWithout?: ((removals: ReadonlyMap<string, string>) => number) | undefined
}

const REPEAT_SHARE = 0.03
const CHARS_PER_TOKEN = 4
const RECOUNT_AT = 1.25
