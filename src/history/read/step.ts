/** What happened in a past session, as every reader tells it. Pasted files, images and the host's own notes are left out. */
export type Step = UserStep | SayStep | CallStep

interface Made {
  /** The agent's ids of the message, or of call and result. */
  ids: readonly string[]
  /** ISO time; "" where the format has none. */
  at: string
  branch: string | null
}

export interface UserStep extends Made {
  what: "user"
  text: string
  /** Typed while rejecting a call. */
  rejectsCall: boolean
}

interface SayStep extends Made {
  what: "say"
  text: string
}

export interface CallStep extends Made {
  what: "call"
  kind: "run" | "edit" | "todo" | "other"
  command: string
  /** Changed files, as the agent names them. */
  files: readonly string[]
  /** Null where nobody knows: refused, interrupted, still running. */
  isOk: boolean | null
  output: string
  todos: readonly { text: string; isDone: boolean }[]
}

/** Steps in order; undefined is a pause. Never throws because of content. */
export type Steps = Generator<Step | undefined, void, void>

export const AGENTS = {
  claude: "Claude Code",
  codex: "Codex CLI",
  gemini: "Gemini CLI",
  opencode: "OpenCode",
  entire: "Entire",
  specstory: "SpecStory",
} as const
export type AgentName = keyof typeof AGENTS

/** A past session of this project, found but not read. */
export interface FoundSession {
  agent: AgentName
  /** The agent's id of the session. */
  id: string
  /** The file or database that has it, for people. */
  path: string
  bytes: number
  /** When it was last written to, ISO. */
  modified: string
  /** Changes when the session does. */
  version: string
  /** Loads what has to be loaded first; the steps are then read in slices. */
  open: () => Promise<Steps>
}

export function callStep(
  given: Made & Pick<CallStep, "kind"> & Partial<Omit<CallStep, "what" | keyof Made>>,
): CallStep {
  return { what: "call", command: "", files: [], isOk: null, output: "", todos: [], ...given }
}

type Fields = Record<string, unknown>

/** The object, or one without fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** The text of a content list in any of the formats. */
export function textsIn(value: unknown): string {
  if (typeof value === "string") return value
  return listOf(value)
    .map((part) => (typeof part === "string" ? part : textOf(fieldsOf(part)["text"])))
    .filter((text) => text !== "")
    .join("\n")
}

/** The end of an output says most: summaries stand there, and the beginning says what it is. */
export function cutOutput(text: string): string {
  if (text.length <= MAX_OUTPUT_CHARS) return text
  return `${text.slice(0, MAX_OUTPUT_CHARS / 3)}\n…\n${text.slice((-MAX_OUTPUT_CHARS * 2) / 3)}`
}

/** Files that a patch in Codex's form adds, changes or deletes. */
export function filesOfPatch(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file = ""]) =>
    file.trim(),
  )
}

export function todosIn(value: unknown): CallStep["todos"] {
  return listOf(value).map((each) => {
    const { content, step, status } = fieldsOf(each)
    return { text: textOf(content) || textOf(step), isDone: /^(completed|cancelled)$/.test(textOf(status)) }
  })
}

const MAX_OUTPUT_CHARS = 6000

/** A time as text; the earliest one for a number that is damaged. */
export function isoTime(ms: number): string {
  const at = new Date(ms)
  return new Date(Number.isNaN(at.getTime()) ? 0 : at).toISOString()
}
