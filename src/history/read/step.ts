/** A message or tool call of a past session, in one format for all agents. Pasted files and images are left out. */
export type Step = UserStep | SayStep | CallStep

export interface Made {
  /** The ids that the agent gave to the message, or to the call and its result. */
  ids: readonly string[]
  /** ISO time, or "" if the format has no times. */
  at: string
  branch: string | null
}

export interface UserStep extends Made {
  what: "user"
  text: string
  /** True if the user wrote this message while rejecting a tool call. */
  rejectsCall: boolean
}

export interface SayStep extends Made {
  what: "say"
  text: string
}

export interface CallStep extends Made {
  what: "call"
  kind: "run" | "edit" | "todo" | "other"
  command: string
  files: readonly string[]
  /** Null if the result is unknown: the call was refused, interrupted or still running. */
  isOk: boolean | null
  output: string
  todos: readonly { text: string; isDone: boolean }[]
}

/** The steps of a session in order, and undefined where the caller can pause. Invalid content never throws. */
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
  id: string
  /** The file or database that contains the session, as shown to the user. */
  path: string
  bytes: number
  modified: string
  /** A text that differs whenever the session has changed. */
  version: string
  /** Opens the session. Its steps are read lazily. */
  open: () => Promise<Steps>
}

/** A step for a text of the user or the agent; none if the text is empty. */
export function textSteps(what: "user" | "say", given: string, made: Made): (UserStep | SayStep)[] {
  const text = given.trim()
  if (text === "") return []
  return [what === "user" ? { what, text, rejectsCall: false, ...made } : { what, text, ...made }]
}

/** A step for a tool call without its result. Knows how each agent names its tools and arguments. */
export function callStep(made: Made, tool: string, given: unknown): CallStep {
  const { command: line, cmd, todos, plan, input, patchText, ...args } = fieldsOf(given)
  // Older versions of Codex give the command as a list of words.
  const words = listOf(line).map(textOf).join(" ")
  const command = textOf(line) || textOf(cmd) || words.replace(/^(ba|z)?sh -l?c /, "")
  const file = ["file_path", "filePath", "notebook_path", "path"].map((name) => textOf(args[name]))
  const patch = textOf(patchText) || textOf(input) || command
  const patched = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)]
  const files = patched.length > 0 ? patched.map(([, name = ""]) => name.trim()) : [file.join("")]
  const none = { command: "", files: [], isOk: null, output: "", todos: [] }
  const call = { what: "call", ...none, ...made } as const
  if (TODOS.test(tool)) return { ...call, kind: "todo", todos: todosIn(todos ?? plan) }
  if (patched.length > 0 || EDITS.test(tool)) return { ...call, kind: "edit", files }
  return RUNS.test(tool) ? { ...call, kind: "run", command } : { ...call, kind: "other", command: tool }
}

export function withResult(call: CallStep, isOk: boolean | null, output: string, made?: Made): CallStep {
  const ids = [...call.ids, ...(made?.ids ?? [])]
  return { ...call, ids, isOk, output: cutOutput(output, MAX_OUTPUT_CHARS) }
}

/** Keeps the beginning of an output and twice as much of its end, which often has a summary. */
export function cutOutput(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 3)}\n…\n${text.slice((-most * 2) / 3)}`
}

function todosIn(value: unknown): CallStep["todos"] {
  return listOf(value).map((each) => {
    const { content, step, description, status } = fieldsOf(each)
    const text = textOf(content) || textOf(step) || textOf(description)
    return { text, isDone: /^(completed|cancelled)$/.test(textOf(status)) }
  })
}

export type Fields = Record<string, unknown>

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function textsIn(value: unknown): string {
  if (typeof value === "string") return value
  return listOf(value)
    .map((part) => (typeof part === "string" ? part : textOf(fieldsOf(part)["text"])))
    .filter((text) => text !== "")
    .join("\n")
}

/** Parses a JSON object. Returns an empty object if the text is invalid. */
export function jsonIn(text: unknown): Fields {
  try {
    return fieldsOf(JSON.parse(textOf(text)))
  } catch {
    return {}
  }
}

const RUNS = /^(bash|shell|exec_command|run_shell_command)$/i
const EDITS = /^((multi|notebook)?edit|write(_file)?|replace)$/i
const TODOS = /^(todo_?write|update_plan|write_todos)$/i
const MAX_OUTPUT_CHARS = 6000
