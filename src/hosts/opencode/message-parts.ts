import type { AssistantMessage, Message, Part } from "@opencode-ai/sdk"
import type { CountedAnswer } from "../../turns/answer-usage.ts"

/** The user's own words, without what the host or plugins added. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) =>
      part.type === "text" && part.synthetic !== true && part.ignored !== true ? [part.text] : [],
    )
    .join("\n")
}

/** A text that is shown to the user and sent to no model, such as the answer to a command. */
export function isOnlyShown(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every((part) => part.type === "text" && part.ignored === true)
}

/** True of the message that asks for a compaction. */
export function isCompactionRequest(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "compaction")
}

/** A summary that was stopped or failed has replaced nothing. */
export function isFinishedSummary({ summary, finish, error }: AssistantMessage): boolean {
  return summary === true && finish !== undefined && error === undefined
}

/** The session that OpenCode's `task` tool has run a subagent in, from the metadata of its result. */
export function subagentSession(metadata: unknown): string | null {
  if (typeof metadata !== "object" || metadata === null || !("sessionId" in metadata)) return null
  return typeof metadata.sessionId === "string" ? metadata.sessionId : null
}

/**
 * The agent and model of a session's newest message. Without them OpenCode takes its defaults: another model than the
 * user has chosen, and an agent with other permissions.
 */
export function agentAndModel(messages: readonly { info: Message; parts: Part[] }[]) {
  for (const { info, parts } of messages.toReversed()) {
    if (isCompactionRequest(parts)) continue
    if (info.role === "user") return { agent: info.agent, model: info.model }
    const { mode: agent, providerID, modelID, summary } = info
    if (summary !== true) return { agent, model: { providerID, modelID } }
  }
  return {}
}

/** Tokens and cost of an answer, by OpenCode's count. */
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
