import type { FileEdit, ToolUse } from "../gate/call.ts"
import type { CallPlace } from "./task-place.ts"

/** A tool call that is over. */
export interface ObservedCall {
  use: ToolUse
  /** Equal for equal calls. */
  signature: unknown
  /** What the agent says about its work in this call. */
  prose: string
  /** A tool of ours, and what it was called with. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** What a subagent was told. */
  prompt: string | null
  /** The agent is there to read. */
  isReader: boolean
  /** A shell command; tests and builds check what was done. */
  command: "check" | "other" | null
  /** A call that was refused, by us or by the user, has failed: it did not do what it was meant to. */
  ok: boolean
  /** What came of it, as the model reads it. */
  said: string
  /** What it has put where. */
  edits: readonly FileEdit[]
  /** Files that it has deleted. */
  removed: readonly string[]
  /** The title of the task at hand, if there was one. */
  task: string | null
  leftCheckpoint: boolean
  /** What it has to do with the task; null where nobody can say. */
  place: CallPlace | null
  /** It does what a false path or a critical anchor warns of. */
  isAgainst: boolean
}
