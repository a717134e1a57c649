import { createReadStream } from "node:fs"
import { HiveError } from "../../shared/error.ts"
import type { CountedAnswer } from "../../turns/answer-usage.ts"
import { fieldsOf } from "../host-values.ts"
import type { Host } from "../port.ts"
import type { HookAgent, TranscriptEntry } from "./agent.ts"

/** What hooks and transcripts have told of each session. */
export function knownSessions(agent: Pick<HookAgent, "transcript">) {
  const sessions = new Map<string, KnownSession>()
  const toasts: string[] = []

  function of(session: string): KnownSession {
    const known = sessions.get(session) ?? {
      ...{ file: "", offset: 0, answer: "", summary: "", model: undefined, window: undefined },
      ...{ counted: new Set<string>(), exits: new Map<string, number>() },
    }
    sessions.set(session, known)
    return known
  }

  /** The entries of these lines; those that only tell something about the session are noted. */
  function entriesIn(text: string, known: KnownSession): TranscriptEntry[] {
    return text.split("\n").flatMap((line): TranscriptEntry[] => {
      const entry = entryIn(agent, line)
      if (entry === undefined) return []
      if (entry.what === "exit") known.exits.set(entry.call, entry.exit)
      if (entry.what === "summary" || entry.what === "compacted") known.summary = entry.text
      if (entry.what === "model") {
        known.model = entry.name ?? known.model
        known.window = entry.window ?? known.window
      }
      if (entry.what !== "usage") return [entry]
      known.model = entry.answer.model || known.model
      known.window = entry.answer.window ?? known.window
      const answer = { ...entry.answer, model: known.model ?? "", window: known.window }
      return [{ ...entry, answer }]
    })
  }

  return {
    said(session: string, text: string): void {
      of(session).answer = text
    },
    lastAnswer: (session: string) => of(session).answer,
    modelOf: (session: string) => ({ name: of(session).model, window: of(session).window }),
    /**
     * New lines of the session's transcript. What was there before this process is counted at the end of a turn, by
     * `allAnswers`.
     */
    async read(session: string, file: string): Promise<TranscriptEntry[]> {
      const known = of(session)
      const isNew = known.file !== file
      if (isNew) Object.assign(known, { file, offset: 0 })
      const { text, end } = await linesFrom(file, known.offset)
      known.offset = end
      const entries = entriesIn(text, known)
      return isNew
        ? []
        : entries.filter((entry) => entry.what !== "usage" || isFirst(known, entry.answer.message))
    },
    /** The exit code of a command, as the transcript has it. */
    exitOf: (session: string, call: string) => of(session).exits.get(call) ?? null,
    lastSummary: (session: string) => of(session).summary,
    async allAnswers(session: string): Promise<CountedAnswer[]> {
      const known = of(session)
      const { text } = await linesFrom(known.file, 0)
      const answers = new Map<string, CountedAnswer>()
      for (const entry of entriesIn(text, known))
        if (entry.what === "usage")
          answers.set(entry.answer.message, { ...entry.answer, session, agent: null })
      return [...answers.values()]
    },
    tell(message: string): void {
      toasts.push(message)
    },
    takeToasts: () => toasts.splice(0).join("\n"),
  }
}

export type KnownSessions = ReturnType<typeof knownSessions>

interface KnownSession {
  file: string
  offset: number
  answer: string
  summary: string
  model: string | undefined
  window: number | undefined
  counted: Set<string>
  exits: Map<string, number>
}

/** HiveMind's port for an agent with hooks: the agent calls, and cannot be called. */
export function hookHost(
  { title }: Pick<HookAgent, "title">,
  known: KnownSessions,
  given: Pick<Host, "directory" | "home" | "userConfig">,
): Host {
  const cannot = async (what: string) => {
    throw new HiveError({
      code: "not_allowed",
      what: `HiveMind cannot ${what} here.`,
      why: `${title} has no way for its hooks to do it.`,
      use_instead: "Use your own subagents: they are bound to the task that you have assigned.",
      evidence: title,
    })
  }
  return {
    ...given,
    options: undefined,
    addsToSummaryPrompt: true,
    // Its own installer and settings screen write them; they load nothing of ours from the project.
    isConfig: () => false,
    parentOf: async () => null,
    lastAnswer: async (session) => known.lastAnswer(session),
    lastSummary: async (session) => known.lastSummary(session),
    lastAnswers: async (session) => known.allAnswers(session),
    toast: async (message) => known.tell(message),
    endSession: () => cannot("end a session"),
    startSession: () => cannot("start an agent beside you"),
  }
}

/** The whole lines of a file from a byte on; "" where it cannot be read. */
async function linesFrom(path: string, offset: number): Promise<{ text: string; end: number }> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of createReadStream(path, { start: offset })) chunks.push(chunk)
  } catch {
    return { text: "", end: offset } // Not there yet: the first hook comes before the first line.
  }
  const bytes = Buffer.concat(chunks)
  // The last line may be written in part only.
  const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1)
  return { text: whole.toString("utf8"), end: offset + whole.length }
}

function entryIn({ transcript }: Pick<HookAgent, "transcript">, line: string): TranscriptEntry | undefined {
  if (line === "" || transcript === undefined) return undefined
  try {
    return transcript(fieldsOf(JSON.parse(line)))
  } catch {
    return undefined // A line that is not JSON has nothing for us.
  }
}

function isFirst({ counted }: KnownSession, message: string): boolean {
  if (counted.has(message)) return false
  counted.add(message)
  return true
}

const LINE_FEED = 0x0a
