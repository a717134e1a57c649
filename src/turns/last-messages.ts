import { forgetOldest } from "../shared/once-each.ts"

/** The user's last message of each session, in memory only: what it plainly asks for, the gate lets pass. */
export function lastMessages() {
  const texts = new Map<string, string>()
  return {
    note(session: string, text: string): void {
      texts.delete(session)
      texts.set(session, text.slice(0, MAX_CHARS))
      if (texts.size > MAX_SESSIONS) forgetOldest(texts)
    },
    of: (session: string): string | undefined => texts.get(session),
  }
}

export type LastMessages = ReturnType<typeof lastMessages>

const MAX_CHARS = 20_000
const MAX_SESSIONS = 200
