import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dataFile } from "../data.ts"

/** A real session as a sequence of user messages, agent texts and tool calls. The data lies outside of the repository. */
export interface RecordedSession {
  session: string
  events: RecordedEvent[]
}

/** One of three: `user` (a message), `say` (the agent's text, cut) or `call` (a tool call with its result, cut). */
export interface RecordedEvent {
  at?: string
  user?: string
  /** Of a user message: command, rejection, interrupt, plan and so on. */
  kind?: string
  say?: string
  call?: string
  /** null where the call was never answered. */
  ok?: boolean | null
  command?: string
  description?: string
  file_path?: string
  path?: string
  pattern?: string
  url?: string
  subagent_type?: string
  /** Lengths of the old and the new text of an edit; the texts are not kept. */
  edit?: [number, number]
  result?: string
  rejected?: boolean
  subagent?: boolean | string
  ms?: number
}

/** A prompt of such a session, with what a reader found in it. */
export interface LabelledPrompt {
  session: string
  at: string
  text: string
  /** The user sets the agent right. */
  correction?: string
}

/** undefined where the data is not beside the repository. */
export function readRecordedSessions(): RecordedSession[] | undefined {
  if (!existsSync(EVENTS)) return undefined
  return linesOf<RecordedSession>(execFileSync("xzcat", [EVENTS], { maxBuffer: 1 << 28, encoding: "utf8" }))
}

export function readLabelledPrompts(): LabelledPrompt[] {
  return linesOf<LabelledPrompt>(readFileSync(PROMPTS, "utf8"))
}

function linesOf<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T)
}

const EVENTS = dataFile("sessions", "events-dev.jsonl.xz")
const PROMPTS = dataFile("prompts-dev.jsonl")
