import { createReadStream } from "node:fs"
import { onceEach } from "../../shared/ids.ts"
import type { CountedAnswer } from "../../turns/answer-usage.ts"
import { fieldsOf } from "../host-values.ts"
import { limitedHost } from "../limited-host.ts"
import type { Host } from "../port.ts"
import type { HookAgent, TranscriptEntry } from "./agent.ts"

export function knownSessions(agent: Pick<HookAgent, "transcript">) {
  const sessions = new Map<string, KnownSession>()
  const toasts: string[] = []

  function of(session: string): KnownSession {
    const known = sessions.get(session) ?? {
      ...{ file: "", offset: 0, answer: "", summary: "", model: undefined, window: undefined },
      ...{ isNewAnswer: onceEach(), exits: new Map<string, number>() },
    }
    sessions.set(session, known)
    return known
  }

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
    /** The new entries of a transcript. The first read returns none, because `allAnswers` counts the older answers. */
    async read(session: string, file: string): Promise<TranscriptEntry[]> {
      const known = of(session)
      const isNew = known.file !== file
      if (isNew) Object.assign(known, { file, offset: 0 })
      const { text, end } = await linesFrom(file, known.offset)
      known.offset = end
      const entries = entriesIn(text, known)
      if (isNew) return []
      return entries.filter((entry) => entry.what !== "usage" || known.isNewAnswer(entry.answer.message))
    },
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
  isNewAnswer: (message: string) => boolean
  exits: Map<string, number>
}

export function hookHost(
  { title }: Pick<HookAgent, "title">,
  known: KnownSessions,
  given: Pick<Host, "directory" | "home" | "userConfig">,
): Host {
  return {
    ...limitedHost({ ...given, toast: async (message) => known.tell(message) }, () => title),
    addsToSummaryPrompt: true,
    lastAnswer: async (session) => known.lastAnswer(session),
    lastSummary: async (session) => known.lastSummary(session),
    lastAnswers: async (session) => known.allAnswers(session),
  }
}

/** The complete lines of a file after a byte offset; "" if the file cannot be read. */
async function linesFrom(path: string, offset: number): Promise<{ text: string; end: number }> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of createReadStream(path, { start: offset })) chunks.push(chunk)
  } catch {
    return { text: "", end: offset } // The first hook runs before the file exists.
  }
  const bytes = Buffer.concat(chunks)
  // The last line may be incomplete.
  const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1)
  return { text: whole.toString("utf8"), end: offset + whole.length }
}

function entryIn({ transcript }: Pick<HookAgent, "transcript">, line: string): TranscriptEntry | undefined {
  if (line === "") return undefined
  try {
    return transcript(fieldsOf(JSON.parse(line)))
  } catch {
    return undefined // Lines that are not JSON are skipped.
  }
}

const LINE_FEED = 0x0a
