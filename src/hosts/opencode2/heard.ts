import { forgetOldest } from "../../shared/once-each.ts"

/** What events have told of each session. OpenCode 2 lets a plugin read no messages. */
export function heardSoFar() {
  const sessions = new Map<string, Told>()

  function of(session: string): Told {
    const there = sessions.get(session) ?? {
      answer: "",
      message: "",
      summary: "",
      parent: undefined,
      agent: null,
    }
    sessions.set(session, there)
    if (sessions.size > MAX_SESSIONS) forgetOldest(sessions)
    return there
  }

  return {
    /** A text of an answer; one answer may have several. */
    said(session: string, message: string, text: string): void {
      const told = of(session)
      told.answer = told.message === message ? `${told.answer}\n${text}` : text
      told.message = message
    },
    summed(session: string, summary: string): void {
      of(session).summary = summary
    },
    began(session: string, parent: string | null): void {
      of(session).parent = parent
    },
    isOurs: (session: string) => sessions.has(session),
    lastAnswer: (session: string) => sessions.get(session)?.answer ?? "",
    lastSummary: (session: string) => sessions.get(session)?.summary ?? "",
    /** Undefined where nothing was heard of it: it may be older than this process. */
    parentOf: (session: string) => sessions.get(session)?.parent,
  }
}

export type Heard = ReturnType<typeof heardSoFar>

interface Told {
  answer: string
  message: string
  summary: string
  parent: string | null | undefined
  agent: string | null
}

const MAX_SESSIONS = 1000
