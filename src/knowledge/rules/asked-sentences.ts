import type { Store } from "../../store/store.ts"

/** What the user said that may be a rule, and the message it is in. */
export interface AskedSentence {
  sentence: string
  message: string | null
}

/** A rule that the model saves because it was asked to is linked to these words. Only of the session's last message. */
const asked = new WeakMap<Store, Map<string, AskedSentence>>()

export function noteAsked(store: Store, session: string, about: AskedSentence | undefined): void {
  const bySession = asked.get(store) ?? new Map<string, AskedSentence>()
  if (about === undefined) bySession.delete(session)
  else bySession.set(session, about)
  asked.set(store, bySession)
}

export function askedIn(store: Store, session: string | null): AskedSentence | undefined {
  return session === null ? undefined : asked.get(store)?.get(session)
}
