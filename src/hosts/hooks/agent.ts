import type { CountedAnswer } from "../../turns/answer-usage.ts"
import type { Fields } from "../host-values.ts"

/**
 * An agent that is driven by hooks, as one table. To add an agent: write its `HookAgent` in a file of its own, add it to
 * `agents.ts`, and its bundle to `bundles.ts`. Nothing else knows the agent's words.
 *
 * - `read` translates a payload into our events. One payload may be several events (a result that may carry a text at once:
 *   "after call", then "calls done"), and an event that HiveMind does not need is none.
 * - `tools` and `ownTool` translate the names of tools and arguments into those of OpenCode, which `hosts/opencode/calls.ts`
 *   reads. A tool that is not listed counts as one that may write anything.
 * - `write` puts our answer into the agent's JSON, with the fields that this event of this agent knows and no other: one
 *   unknown field can turn a denial into a run. "" says nothing.
 * - `transcript` reads what the agent's hooks do not tell from its file of the conversation.
 */
export interface HookAgent {
  /** `hivemind hook <name>`; also the main session's agent in our records. */
  name: string
  title: string
  /** Longer texts are cut or hidden by the agent. Undefined: no limit was seen. */
  maxBytes?: number
  tools: Readonly<Record<string, ToolWords>>
  /** The name of an agent without what the agent program puts in front. */
  agentName: (type: string) => string
  /** Our name of one of our own tools, if this is one. */
  ownTool: (tool: string) => string | undefined
  /**
   * The id of the model's call, in the `_meta` of a request to our MCP server; undefined for a request of a hook. Left out
   * where hooks cannot call tools of a server.
   */
  callId?: (meta: Fields) => string | undefined
  /** Its hooks do not say that a call is a subagent's: those between the events of the call that started it are. */
  hidesSubagents?: true
  whose: (payload: Fields) => Whose
  read: (payload: Fields) => readonly HookEvent[]
  write: (event: string, answer: HookAnswer) => string
  transcript?: (line: Fields) => TranscriptEntry | undefined
}

interface ToolWords {
  /** OpenCode's name. */
  is: string
  /** OpenCode's names of its arguments, where they differ. */
  args?: Readonly<Record<string, string>>
}

/** Where a payload comes from. A subagent has the session of its main agent, and an id of its own. */
export interface Whose {
  session: string
  subagent: { id: string; type: string } | null
  /** The folder the agent works in. */
  cwd: string
  /** The file of the conversation; "" if there is none. */
  transcript: string
}

export interface HookCall {
  id: string
  tool: string
  args: Fields
}

export interface HookResult {
  ok: boolean
  /** Exit code of a command; null if the agent does not say it. */
  exit: number | null
  /** As the model reads it. */
  said: string
  isSilent?: boolean
  /** The user stopped it. */
  isStopped?: boolean
  /** The subagent whose work ended with this call, and its report. */
  child?: { id: string; report: string } | null
}

export type HookEvent =
  /** `isShown`: a text added at this event reaches the model. */
  | { what: "session start"; why: "startup" | "resume" | "clear" | "compact"; isShown: boolean }
  | { what: "user message"; text: string }
  | { what: "before call"; call: HookCall }
  | { what: "after call"; call: HookCall; result: HookResult }
  /** The model goes on with the results, and reads what waited. `calls`: those of this step with their results, if it is known. */
  | { what: "calls done"; calls?: readonly { call: HookCall; said: string; isError: boolean }[] }
  /** What it returns joins the prompt for the summary, where the agent has a place for it. */
  | { what: "before compaction" }
  | { what: "subagent start" }
  | { what: "subagent stop"; said: string }
  | { what: "stop"; said: string }
  | { what: "session end" }
  | { what: "usage"; answer: Omit<CountedAnswer, "session" | "agent"> }

/** What HiveMind answers to a payload; empty if it has nothing to say. */
export interface HookAnswer {
  /** A text for the model. */
  show: string
  /** Why the call may not run. */
  deny: string
  /** Why the turn may not end yet. */
  goOn: string
  /** What the summary of a compaction has to keep. */
  keep: string
  /** A line for the user. */
  tell: string
}

export const NO_ANSWER: HookAnswer = { show: "", deny: "", goOn: "", keep: "", tell: "" }

/** A line of a transcript, as far as HiveMind needs it. */
export type TranscriptEntry =
  /** Without a name the model is the last one named; without a window, the last one told. */
  | { what: "usage"; answer: Omit<CountedAnswer, "session" | "agent"> }
  | { what: "model"; name?: string; window?: number }
  /** The exit code of a command, where its hook does not say it. */
  | { what: "exit"; call: string; exit: number }
  /** A summary has replaced the conversation, and no hook says so. */
  | { what: "compacted"; text: string }
  /** A prompt that the user typed while the agent worked. */
  | { what: "typed"; text: string }
  | { what: "summary"; text: string }
  | { what: "answer"; text: string }
