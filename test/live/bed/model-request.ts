import type { IncomingHttpHeaders } from "node:http"
import { fromAnthropic } from "./anthropic.ts"

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

/** One request as the provider got it. */
export interface ModelRequest {
  /** Order of arrival, from 0. */
  index: number
  kind: RequestKind
  session: string
  /** The parent's session id, when this session is a child. */
  parent: string | undefined
  agent: string | undefined
  /** Id of the user message this request belongs to. */
  messageID: string | undefined
  headers: IncomingHttpHeaders
  /** The exact bytes: what a provider's prompt cache would compare. */
  raw: Buffer
  body: ChatBody
  /** All system messages, joined. */
  system: string
  /** Text of the last user message, its parts joined. */
  user: string
  tools: string[]
  /** What the tools called in the step before returned, in order. */
  toolOutputs: string[]
}

export function readRequest(
  index: number,
  headers: IncomingHttpHeaders,
  raw: Buffer,
  isAnthropic: boolean,
): ModelRequest {
  const body: ChatBody = isAnthropic ? fromAnthropic(raw) : JSON.parse(raw.toString("utf8"))
  const system = body.messages.filter((message) => message.role === "system").map(textOf)
  const parent = header(headers, "x-parent-session-id")
  const agent = header(headers, "x-bed-agent")
  return {
    index,
    kind: kindOf(agent ?? hiddenAgent(system[0] ?? ""), parent),
    session: header(headers, "x-session-id") ?? "",
    parent,
    agent,
    messageID: header(headers, "x-bed-message"),
    headers,
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

// Without the witness plugin (`opencode --pure`) only the prompts of the host's hidden agents give them away.
function hiddenAgent(system: string): string | undefined {
  if (system.startsWith("You are a title generator")) return "title"
  if (system.startsWith("You are a context summarization agent")) return "compaction"
  return undefined
}

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
