import { DEFAULT_USAGE, type Usage, type WriteStep } from "./steps.ts"

interface AnthropicBody {
  model: string
  system?: string | { text: string }[]
  messages: { role: "system" | "user" | "assistant"; content: string | AnthropicPart[] }[]
  tools?: { name: string; description?: string; input_schema?: unknown }[]
}

interface AnthropicPart {
  type: string
  text?: string
  tool_use_id?: string
  content?: string | { text?: string }[]
}

export function fromAnthropic(raw: Buffer) {
  const body: AnthropicBody = JSON.parse(raw.toString("utf8"), (key, value) =>
    key === "cache_control" ? undefined : value,
  )
  const system = typeof body.system === "string" ? [{ text: body.system }] : (body.system ?? [])
  return {
    model: body.model,
    messages: [
      ...system.map(({ text }) => ({ role: "system" as const, content: text })),
      ...body.messages.flatMap(({ role, content }) => {
        const parts = typeof content === "string" ? [{ type: "text", text: content }] : content
        const results = parts.filter(({ type }) => type === "tool_result")
        const others = parts.filter(({ type }) => type !== "tool_result")
        return [
          ...results.map((part) => ({
            role: "tool" as const,
            content: textIn(part.content),
            tool_call_id: part.tool_use_id ?? "",
          })),
          ...(others.length > 0 ? [{ role, content: others }] : []),
        ]
      }),
    ],
    tools: body.tools?.map(({ name, description = "", input_schema }) => ({
      type: "function",
      function: { name, description, parameters: input_schema },
    })),
  }
}

export const writeAnthropicStep: WriteStep = async (response, model, step, newCallId) => {
  const { text, pause, calls = [], usage = DEFAULT_USAGE } = step
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (type: string, data: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  let index = 0
  const block = (content_block: object, delta: object) => {
    send("content_block_start", { index, content_block })
    send("content_block_delta", { index, delta })
    send("content_block_stop", { index })
    index++
  }
  // Agents merge answers that have the same id.
  const message = { id: `msg_${newCallId()}`, type: "message", role: "assistant", model, content: [] }
  send("message_start", {
    message: { ...message, stop_reason: null, stop_sequence: null, usage: counted(usage) },
  })
  if (text !== undefined) block({ type: "text", text: "" }, { type: "text_delta", text })
  if (pause !== undefined) await pause.hold()
  for (const { tool, args } of calls)
    block(
      { type: "tool_use", id: newCallId(), name: tool, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(args) },
    )
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn"
  const delta = { stop_reason, stop_sequence: null }
  send("message_delta", { delta, usage: { output_tokens: usage.output } })
  send("message_stop")
  response.end()
}

function textIn(content: string | { text?: string }[] = ""): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n")
}

const counted = ({ input, output, cached = 0 }: Usage) => ({
  input_tokens: input - cached,
  output_tokens: output,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
})
