import type { ModelRequest } from "./model-request.ts"

/** The injected elements in force after a request, by name and naming attributes. */
export function injectedState(request: ModelRequest): Map<string, string> {
  let state = new Map<string, string>()
  for (const text of injectedTexts(request)) {
    if (text.startsWith("<hivemind_state")) state = new Map()
    for (const line of text.split("\n")) {
      const tag = /^<(\w+)/.exec(line)?.[1]
      if (tag === undefined || line.startsWith("<hivemind_")) continue
      if (tag === "was") state.delete(refOf(line.replace(/<was what="(\w+)"/, "<$1")))
      else if (line.includes("=") || tag === "head") state.set(refOf(line), line)
    }
  }
  return state
}

/** The synthetic parts with state in them, in the order the model reads them. */
export function injectedTexts(request: ModelRequest): string[] {
  const { messages } = request.body as { messages: { role: string; content: unknown }[] }
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (Array.isArray(content) ? content : [{ type: "text", text: content }]))
    .flatMap((part: { text?: unknown }) => (typeof part.text === "string" ? [part.text] : []))
    .filter((text) => /^<hivemind_(state|delta)/.test(text))
}

function refOf(line: string): string {
  const tag = /^<(\w+)/.exec(line)?.[1] ?? ""
  if (tag === "head") return "head"
  const names = tag === "depends" || tag === "gate" ? ["task", "on"] : ["id", "key"]
  return [tag, ...names.flatMap((name) => new RegExp(` ${name}="([^"]*)"`).exec(line)?.[1] ?? [])].join(" ")
}
