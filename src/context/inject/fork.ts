import type { Injection } from "./record.ts"

/** A user message, as far as it takes to find it again in a copy of its session. */
export interface SentMessage {
  id: string
  /** When it was sent (ms): a copy keeps that, though not its id. */
  sentAt?: number | undefined
}

/**
 * What the messages of a forked session carry: the same as those that they are copies of, or the provider's cache begins
 * anew. Of a fork's fork, both that it came from and the first one have its beginning: the one that has most of it counts.
 * Undefined where the session is no fork of any of these, which are the likeliest first.
 */
export function adoptFork(
  users: readonly SentMessage[],
  others: Iterable<{ session: string; injections: readonly Injection[] }>,
): { source: string; records: Injection[] } | undefined {
  const first = users[0]?.sentAt
  // With one message there is nothing that could be a copy.
  if (first === undefined || users.length < 2) return undefined
  let best: { source: string; records: Injection[] } | undefined
  for (const { session, injections } of others) {
    const bySent = new Map(injections.flatMap((each) => (each.sent === undefined ? [] : [[each.sent, each]])))
    if (!bySent.has(first)) continue
    const records = users.flatMap(({ id, sentAt }) => {
      const copied = sentAt === undefined ? undefined : bySent.get(sentAt)
      // Calls have other ids in the copy: what was pruned of them there is whole again here.
      return copied === undefined ? [] : [{ ...copied, message: id, pruned: [] }]
    })
    if (records.length > (best?.records.length ?? 0)) best = { source: session, records }
  }
  return best
}
