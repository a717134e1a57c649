import { DEFAULT_USAGE, type WriteStep } from "./steps.ts"

interface GeminiBody {
  contents: { role: "user" | "model"; parts: GeminiPart[] }[]
  systemInstruction?: { parts: GeminiPart[] }
  tools?: { functionDeclarations?: { name: string; description?: string }[] }[]
}

interface GeminiPart {
  text?: string
  functionResponse?: { id?: string; response: { output?: string; error?: string } }
}

export function fromGemini(raw: Buffer, model: string) {
  const body: GeminiBody = JSON.parse(raw.toString("utf8"))
  const system = (body.systemInstruction?.parts ?? []).map(({ text = "" }) => text).join("\n")
  return {
    model,
    messages: [
      { role: "system" as const, content: system },
      ...body.contents.flatMap(({ role, parts }) =>
        parts.map((part) => {
          const { text = "", functionResponse: result } = part
          if (result !== undefined) {
            const { output = "", error = output } = result.response
            return { role: "tool" as const, content: error, tool_call_id: result.id ?? "" }
          }
          if (role === "model") return { role: "assistant" as const, content: JSON.stringify(part) }
          return { role, content: [{ type: "text", text }] }
        }),
      ),
    ],
    tools: (body.tools ?? [])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, description = "" }) => ({ type: "function", function: { name, description } })),
  }
}

export const writeGeminiStep: WriteStep = async (response, model, step, newCallId, isStreamed) => {
  const { text, pause, calls = [], usage = DEFAULT_USAGE } = step
  if (pause !== undefined) await pause.hold()
  const parts = [
    ...(text === undefined && calls.length > 0 ? [] : [{ text: text ?? "ok" }]),
    ...calls.map(({ tool, args }, index) => {
      const id = newCallId()
      // Without a signature the program makes one up and later drops it, which would change the prefix.
      const signed = index === 0 ? { thoughtSignature: Buffer.from(id).toString("base64") } : {}
      return { functionCall: { id, name: tool, args }, ...signed }
    }),
  ]
  const { input, output, cached = 0 } = usage
  const answer = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cached,
      totalTokenCount: input + output,
    },
    modelVersion: model,
    responseId: `resp_${newCallId()}`,
  }
  response.writeHead(200, { "content-type": isStreamed ? "text/event-stream" : "application/json" })
  response.end(isStreamed ? `data: ${JSON.stringify(answer)}\n\n` : JSON.stringify(answer))
}
