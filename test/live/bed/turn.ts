import type { AssistantMessage, Message, Part, ToolPart } from "@opencode-ai/sdk"
import type { ModelRequest } from "./model-request.ts"

export interface StoredMessage {
  info: Message
  parts: Part[]
}

/** A tool call as the session stores it. */
interface CalledTool {
  tool: string
  input: Record<string, unknown>
  status: ToolPart["state"]["status"]
  output: string | undefined
  error: string | undefined
  metadata: Record<string, unknown>
}

/** What one prompt led to. */
export interface Turn {
  /** Text of the last answer. */
  text: string
  /** Why the turn failed, if it did. */
  error: AssistantMessage["error"]
  /** Calls in this session, in order; those of subagents are in their own sessions. */
  toolCalls: CalledTool[]
  /** What the model was asked meanwhile by this session and its subagents, title requests left out. */
  requests: ModelRequest[]
  /** The messages this turn added. */
  messages: StoredMessage[]
}

export function readTurn(session: string, messages: StoredMessage[], asked: ModelRequest[]): Turn {
  const last = messages.findLast(({ info }) => info.role === "assistant")
  return {
    text: (last?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join(""),
    error: last?.info.role === "assistant" ? last.info.error : undefined,
    toolCalls: messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool").map(readCall)),
    requests: ofFamily(session, asked).filter(({ kind }) => kind !== "title"),
    messages,
  }
}

function readCall({ tool, state }: ToolPart): CalledTool {
  return {
    tool,
    input: state.input,
    status: state.status,
    output: state.status === "completed" ? state.output : undefined,
    error: state.status === "error" ? state.error : undefined,
    metadata: (state.status === "pending" ? undefined : state.metadata) ?? {},
  }
}

// A child asks after its parent has, so one pass in order of arrival finds grandchildren too.
function ofFamily(session: string, asked: ModelRequest[]): ModelRequest[] {
  const family = new Set([session])
  return asked.filter((request) => {
    if (request.parent !== undefined && family.has(request.parent)) family.add(request.session)
    return family.has(request.session)
  })
}
