import type { AssistantMessage, Message, Part } from "@opencode-ai/sdk"
import type { CountedAnswer } from "../../turns/answer-usage.ts"

export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) =>
      part.type === "text" && part.synthetic !== true && part.ignored !== true ? [part.text] : [],
    )
    .join("\n")
}

/** The text that a person typed: `opencode run "two words"` sends its argument in quotes, with a backslash before inner ones. */
export function withoutArgumentQuotes(text: string): string {
  const inner = /^"((?:[^"]|(?<=\\)")*)"$/.exec(text)?.[1]
  return inner?.replaceAll('\\"', '"') ?? text
}

/** Whether a message is shown to the user but not sent to the model, like the answer to a command. */
export function isOnlyShown(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every((part) => part.type === "text" && part.ignored === true)
}

export function isCompactionRequest(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "compaction")
}

/** False for a summary that was stopped or failed: it did not replace the conversation. */
export function isFinishedSummary({ summary, finish, error }: AssistantMessage): boolean {
  return summary === true && finish !== undefined && error === undefined
}

export function subagentSession(metadata: unknown): string | null {
  if (typeof metadata !== "object" || metadata === null || !("sessionId" in metadata)) return null
  return typeof metadata.sessionId === "string" ? metadata.sessionId : null
}

/** Agent and model for a new message. OpenCode's defaults may be another model or an agent with other permissions. */
export function agentAndModel(messages: readonly { info: Message; parts: Part[] }[]) {
  for (const { info, parts } of messages.toReversed()) {
    if (isCompactionRequest(parts)) continue
    if (info.role === "user") return { agent: info.agent, model: info.model }
    const { mode: agent, providerID, modelID, summary } = info
    if (summary !== true) return { agent, model: { providerID, modelID } }
  }
  return {}
}

export function countedAnswer(
  { id, sessionID, mode, providerID, modelID, tokens, cost, summary }: AssistantMessage,
  at: number,
  window: number | undefined,
): CountedAnswer {
  const { input = 0, output = 0, reasoning = 0, cache = { read: 0, write: 0 } } = tokens ?? {}
  return {
    ...{ session: sessionID, message: id, at, agent: mode, model: `${providerID}/${modelID}`, window },
    isSummary: summary === true,
    tokens: { input, cache_write: cache.write, cache_read: cache.read, output, reasoning },
    cost: cost ?? 0,
  }
}
