import { DEFAULT_USAGE, type WriteStep } from "./steps.ts"

interface ResponsesBody {
  model: string
  instructions?: string
  input: ResponsesItem[]
  tools?: ResponsesTool[]
}

interface ResponsesItem {
  type: string
  role?: "system" | "developer" | "user" | "assistant"
  content?: { text?: string }[]
  call_id?: string
  output?: string | { text?: string }[]
}

interface ResponsesTool {
  type: string
  name?: string
  description?: string
  tools?: ResponsesTool[]
}

export function fromResponses(raw: Buffer) {
  const body: ResponsesBody = JSON.parse(raw.toString("utf8"))
  const tools = (body.tools ?? []).flatMap((tool) =>
    tool.type === "namespace" ? (tool.tools ?? []) : [tool],
  )
  return {
    model: body.model,
    messages: [
      { role: "system" as const, content: body.instructions ?? "" },
      ...body.input.map((item) => {
        if (item.output !== undefined)
          return { role: "tool" as const, content: textIn(item.output), tool_call_id: item.call_id ?? "" }
        if (item.type !== "message") return { role: "assistant" as const, content: JSON.stringify(item) }
        const role = item.role === "developer" ? ("system" as const) : (item.role ?? "user")
        return { role, content: (item.content ?? []).map(({ text = "" }) => ({ type: "text", text })) }
      }),
    ],
    tools: tools.map(({ type, name = type, description = "" }) => ({
      type: "function",
      function: { name, description },
    })),
  }
}

/**
 * Writes a step in the form of OpenAI's streamed Responses. A tool in a namespace is named `namespace__tool` or
 * `mcp__server__tool`; `apply_patch` takes its patch as the argument `input`.
 */
export const writeResponsesStep: WriteStep = async (response, model, step, newCallId) => {
  const { text, pause, calls = [], usage = DEFAULT_USAGE } = step
  const status = "completed"
  const content = [{ type: "output_text", text, annotations: [] }]
  const message = { type: "message", role: "assistant", status, content }
  const items = [
    ...(text === undefined && calls.length > 0 ? [] : [message]),
    ...calls.map(({ tool, args }) => {
      const call_id = newCallId()
      const own = { id: `item_${call_id}`, call_id, status }
      if (tool === "apply_patch")
        return { type: "custom_tool_call", ...own, name: tool, input: args["input"] }
      const [, namespace, name = tool] = /^(mcp__.+?|\w+?)__(.+)$/.exec(tool) ?? []
      const place = namespace === undefined ? {} : { namespace }
      return { type: "function_call", ...own, ...place, name, arguments: JSON.stringify(args) }
    }),
  ]
  const { input, output, cached = 0 } = usage
  const whole = {
    id: `resp_${newCallId()}`,
    object: "response",
    created_at: 0,
    model,
    status,
    output: items,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  send("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } })
  if (pause !== undefined) await pause.hold()
  items.forEach((item, output_index) => {
    send("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } })
    send("response.output_item.done", { output_index, item })
  })
  send("response.completed", { response: whole })
  response.end()
}

function textIn(output: string | { text?: string }[]): string {
  return typeof output === "string" ? output : output.map(({ text = "" }) => text).join("\n")
}
