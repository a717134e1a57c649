import { HiveError } from "../../shared/error.ts"
import { forgetOldest } from "../../shared/ids.ts"
import { fieldsOf } from "../host-values.ts"
import { isHostConfig } from "../opencode/own-entry.ts"
import type { Host } from "../port.ts"
import type { Context } from "./context.ts"

/** HiveMind's port implemented with OpenCode 2. Texts come from events, as a plugin cannot read messages. */
export function openCode2Host(
  { session }: Pick<Context, "session">,
  known: Pick<KnownSessions, "lastAnswer" | "lastSummary" | "parentOf">,
  given: Pick<Host, "directory" | "home" | "userConfig" | "options">,
): Host {
  return {
    ...given,
    isConfig: isHostConfig,
    async parentOf(id) {
      const reported = known.parentOf(id)
      if (reported !== undefined) return reported
      const parent = fieldsOf(await session.get({ sessionID: id }))["parentID"]
      return typeof parent === "string" ? parent : null
    },
    lastAnswer: async (id) => known.lastAnswer(id),
    lastSummary: async (id) => known.lastSummary(id),
    // Answers are counted as they come; those of a process that was killed are lost.
    lastAnswers: async () => [],
    // A plugin on the server cannot show anything.
    toast: async () => {},
    async endSession(id) {
      await session.interrupt({ sessionID: id })
    },
    startSession: async () => {
      throw new HiveError({
        code: "not_allowed",
        what: "No researcher was started.",
        why: "OpenCode 2 lets no plugin start a subagent's session.",
        use_instead: "Ask with the subagent tool: hive-investigator saves its findings.",
        evidence: "OpenCode 2",
      })
    },
  }
}

export type KnownSessions = ReturnType<typeof knownSessions>

/** Last answer, last summary and parent of each session, as events have reported them. */
export function knownSessions() {
  const sessions = new Map<string, KnownSession>()

  function of(session: string): KnownSession {
    const known = sessions.get(session) ?? { answer: "", message: "", summary: "", parent: undefined }
    sessions.set(session, known)
    if (sessions.size > MAX_SESSIONS) forgetOldest(sessions)
    return known
  }

  return {
    /** Adds a text of an answer; one answer may have several. */
    said(session: string, message: string, text: string): void {
      const known = of(session)
      known.answer = known.message === message ? `${known.answer}\n${text}` : text
      known.message = message
    },
    summed(session: string, summary: string): void {
      of(session).summary = summary
    },
    began(session: string, parent: string | null): void {
      of(session).parent = parent
    },
    has: (session: string) => sessions.has(session),
    lastAnswer: (session: string) => sessions.get(session)?.answer ?? "",
    lastSummary: (session: string) => sessions.get(session)?.summary ?? "",
    /** Undefined where no event has named it: the session may be older than this process. */
    parentOf: (session: string) => sessions.get(session)?.parent,
  }
}

interface KnownSession {
  answer: string
  message: string
  summary: string
  parent: string | null | undefined
}

const MAX_SESSIONS = 1000
