import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A real session as a sequence of user messages, agent texts and tool calls. The data lies outside of the repository. */
export interface RecordedSession {
  session: string
  events: RecordedEvent[]
}

/** One of three: `user` (a message), `say` (the agent's text, cut) or `call` (a tool call with its result, cut). */
interface RecordedEvent {
  at?: string
  user?: string
  /** Of a user message: command, rejection, interrupt, plan and so on. */
  kind?: string
  say?: string
  call?: string
  ok?: boolean
  command?: string
  description?: string
  file_path?: string
  result?: string
  rejected?: boolean
  subagent?: boolean | string
  ms?: number
}

/** undefined where the data is not beside the repository. */
export function readRecordedSessions(): RecordedSession[] | undefined {
  if (!existsSync(EVENTS)) return undefined
  const text = execFileSync("xzcat", [EVENTS], { maxBuffer: 1 << 28, encoding: "utf8" })
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordedSession)
}

const EVENTS = fileURLToPath(new URL("../../../shared/bench/sessions/events-dev.jsonl.xz", import.meta.url))
