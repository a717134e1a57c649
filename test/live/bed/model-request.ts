import type { IncomingHttpHeaders } from "node:http"
import { fromAnthropic } from "./anthropic.ts"
import { fromGemini } from "./gemini.ts"
import { fromResponses } from "./responses.ts"

export type RequestKind = "turn" | "subagent" | "title" | "compaction"

interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool"
  content: string | { type: string; text?: string }[] | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

interface ChatBody {
  model: string
  messages: ChatMessage[]
  tools?:
    | { type: string; function: { name: string; description?: string; parameters?: unknown } }[]
    | undefined
}

export interface ModelRequest {
  index: number
  kind: RequestKind
  session: string
  /** Session id of the parent, for a subagent. */
  parent: string | undefined
  agent: string | undefined
  /** The exact bytes, which a provider's prompt cache compares. */
  raw: Buffer
  body: ChatBody
  system: string
  user: string
  tools: string[]
  toolOutputs: string[]
}

/** A provider's form of requests, and the model that the address names. */
export interface Asked {
  form: "chat" | "anthropic" | "responses" | "gemini"
  model: string
  isStreamed: boolean
}

/** Each provider asks at an address of its own; undefined for requests other than for an answer. */
export function readAddress(method: string | undefined, url = ""): Asked | undefined {
  const path = url.replace(/\?.*/, "")
  if (method !== "POST") return undefined
  const [, model = "", how] = /\/models\/([^/:]+):(streamG|g)enerateContent$/.exec(path) ?? []
  if (how !== undefined) return { form: "gemini", model, isStreamed: how !== "g" }
  const form = FORMS[path.split("/").at(-1) ?? ""]
  return form && { form, model, isStreamed: true }
}

const FORMS: Record<string, Asked["form"]> = {
  completions: "chat",
  messages: "anthropic",
  responses: "responses",
}

const READERS: Record<Asked["form"], (raw: Buffer, model: string) => ChatBody> = {
  chat: (raw) => JSON.parse(raw.toString("utf8")),
  anthropic: fromAnthropic,
  responses: fromResponses,
  gemini: fromGemini,
}

export function readRequest(
  index: number,
  headers: IncomingHttpHeaders,
  raw: Buffer,
  { form, model }: Asked,
): ModelRequest {
  const body: ChatBody = READERS[form](raw, model)
  const system = body.messages.filter((message) => message.role === "system").map(textOf)
  const parent = header(headers, "x-parent-session-id")
  const agent = header(headers, "x-bed-agent")
  const kind = kindByContent(headers, body, system.join("\n"))
  return {
    index,
    kind: kind ?? kindOf(agent ?? hiddenAgent(system[0] ?? ""), parent),
    session: SESSION_HEADERS.map((name) => header(headers, name)).find((id) => id !== undefined) ?? "",
    parent,
    agent,
    raw,
    body,
    system: system.join("\n"),
    user: textOf(body.messages.findLast((message) => message.role === "user")),
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    toolOutputs: lastToolOutputs(body.messages),
  }
}

function kindOf(agent: string | undefined, parent: string | undefined): RequestKind {
  if (agent === "title" || agent === "compaction") return agent
  return parent === undefined ? "turn" : "subagent"
}

// Without the witness plugin (`opencode --pure`) only the prompts identify the host's hidden agents.
function hiddenAgent(system: string): string | undefined {
  if (system.startsWith("You are a title generator")) return "title"
  if (system.startsWith("You are a context summarization agent")) return "compaction"
  return undefined
}

/** Other agents do not name the kind of a request; each shows it in another place. */
function kindByContent(
  headers: IncomingHttpHeaders,
  body: ChatBody,
  system: string,
): RequestKind | undefined {
  if (header(headers, "x-session-id") !== undefined) return undefined
  const tools = (body.tools ?? []).map((tool) => tool.function.name)
  const last = textOf(body.messages.at(-1))
  const isCompaction =
    COMPACTIONS.some((text) => system.includes(text) || last.includes(text)) ||
    header(headers, "x-codex-turn-metadata")?.includes('"request_kind":"compaction"')
  if (isCompaction) return "compaction"
  const isSubagent =
    headers["x-claude-code-agent-id"] ??
    headers["x-codex-parent-thread-id"] ??
    tools.includes("complete_task")
  if (isSubagent) return "subagent"
  return tools.length === 0 ? "title" : undefined
}

/** From the prompts of Claude Code and Gemini CLI. */
const COMPACTIONS = ["block followed by a <summary> block", "for distilling chat history into a structured"]

/** Of OpenCode, Codex and Claude Code. */
const SESSION_HEADERS = ["x-session-id", "thread-id", "x-claude-code-session-id"]

function lastToolOutputs(messages: ChatMessage[]): string[] {
  const lastCall = messages.findLastIndex((message) => message.role === "assistant")
  return messages
    .slice(lastCall + 1)
    .filter((message) => message.role === "tool")
    .map(textOf)
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? ""
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n")
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
