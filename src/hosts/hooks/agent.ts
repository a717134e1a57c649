import type { CountedAnswer } from "../../turns/answer-usage.ts"
import type { Fields } from "../host-values.ts"

/** Describes an agent that runs hooks. A new agent also needs a row in `agents.ts` and a bundle in `plugin-folders.ts`. */
export interface HookAgent {
  /** The argument of `hivemind hook`, and the agent's name in the records of a main session. */
  name: string
  title: string
  /** The agent cuts or hides longer texts. Undefined if no limit is known. */
  maxBytes?: number
  /** The agent's tools by name. HiveMind assumes that any other tool may write files. */
  tools: Readonly<Record<string, ToolWords>>
  /** The name under which a subagent type is recorded, e.g. without the prefix of a plugin. */
  agentName: (type: string) => string
  /** Matches the agent's name of a HiveMind tool; the first group is the tool's own name. */
  ownTool: RegExp
  /** The id of the model's call in an MCP request; undefined if a hook sent the request. Left out if hooks cannot call tools. */
  callId?: (meta: Fields) => string | undefined
  /** The id of an event that a tool call and a hook process both bring. Only the first of them is answered. */
  claimId?: (payload: Fields) => string | undefined
  /** Hooks do not name subagents: all calls during the call that started a subagent count as the subagent's. */
  hidesSubagents?: true
  whose: (payload: Fields) => Whose
  read: (payload: Fields) => readonly HookEvent[]
  /** The answer as the agent's JSON. It has only fields of the event: an unknown field can void a denial. */
  write: (event: string, answer: HookAnswer) => string
  transcript: (line: Fields) => TranscriptEntry | undefined
}

/** OpenCode's names for a tool (`is`) and for those of its arguments that have another name there. */
type ToolWords = { is: string; args?: Readonly<Record<string, string>> }

/** The session and subagent that sent a payload. `session` is the main agent's, also for a subagent. */
export interface Whose {
  session: string
  subagent: { id: string; type: string } | null
  cwd: string
  /** Path of the transcript file, "" if there is none. */
  transcript: string
}

export interface HookCall {
  id: string
  tool: string
  args: Fields
}

export interface HookResult {
  ok: boolean
  /** Exit code of a command; null if the agent does not report it. */
  exit: number | null
  said: string
  isSilent?: boolean
  isStopped?: boolean
  child?: { id: string; report: string } | null
}

export type HookEvent =
  | { what: "session start"; isCompacted: boolean }
  | { what: "user message"; text: string }
  | { what: "before call"; call: HookCall }
  | { what: "after call"; call: HookCall; result: HookResult }
  /** All calls of a step have ended. `calls`: these calls, if the agent lists them. */
  | { what: "calls done"; calls?: readonly { call: HookCall; said: string; isError: boolean }[] }
  | { what: "before compaction" }
  | { what: "subagent start" }
  | { what: "subagent stop"; said: string }
  | { what: "stop"; said: string }
  | { what: "session end" }

/** `show`, `deny`, `goOn` (do not stop yet) and `keep` (for a summary) go to the model, `tell` to the user. */
export interface HookAnswer {
  show: string
  deny: string
  goOn: string
  keep: string
  tell: string
}

export type TranscriptEntry =
  /** If the model or the window is missing, those of the last `model` entry apply. */
  | { what: "usage"; answer: Omit<CountedAnswer, "session" | "agent"> }
  | { what: "model"; name?: string; window?: number }
  | { what: "exit"; call: string; exit: number }
  /** A summary replaced the conversation, and no hook reported it. */
  | { what: "compacted"; text: string }
  /** A prompt that the user typed while the agent worked. */
  | { what: "typed"; text: string }
  | { what: "summary"; text: string }
