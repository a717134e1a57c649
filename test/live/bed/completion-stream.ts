import { once } from "node:events"
import { DEFAULT_USAGE, type Usage, type WriteStep } from "./steps.ts"

export const writeStep: WriteStep = async (response, model, step, newCallId) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.flushHeaders()
  const send = (choices: unknown[], more = {}) => {
    const chunk = { id: "scripted", object: "chat.completion.chunk", created: 0, model, choices, ...more }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const delta = (content: object, finish_reason: string | null = null) =>
    send([{ index: 0, delta: { role: "assistant", ...content }, finish_reason }])

  if (step.text) delta({ content: step.text })
  // An aborted turn or a killed host closes the connection, and nothing releases the pause.
  if (step.pause) await Promise.race([step.pause.hold(), once(response, "close")])
  if (response.destroyed) return

  const calls = step.calls ?? []
  calls.forEach(({ tool, args }, index) => {
    const fn = { name: tool, arguments: JSON.stringify(args) }
    delta({ tool_calls: [{ index, id: newCallId(), type: "function", function: fn }] })
  })
  delta({}, calls.length > 0 ? "tool_calls" : "stop")
  send([], { usage: wireUsage(step.usage ?? DEFAULT_USAGE) })
  response.end("data: [DONE]\n\n")
}

const wireUsage = ({ input, output, cached = 0 }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
})
