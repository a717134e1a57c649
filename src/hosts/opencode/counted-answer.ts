import type { AssistantMessage } from "@opencode-ai/sdk"
import type { CountedAnswer } from "../../turns/answer-counted.ts"

/** What an answer took, as OpenCode has counted it. */
export function countedAnswer(
  { id, sessionID, mode, providerID, modelID, tokens, cost, summary }: AssistantMessage,
  at: number,
  window: number | undefined,
): CountedAnswer {
  const { input = 0, output = 0, reasoning = 0, cache = NO_CACHE } = tokens ?? {}
  return {
    session: sessionID,
    message: id,
    at,
    agent: mode,
    model: `${providerID}/${modelID}`,
    window,
    isSummary: summary === true,
    tokens: { input, cache_write: cache.write, cache_read: cache.read, output, reasoning },
    cost: cost ?? 0,
  }
}

const NO_CACHE = { read: 0, write: 0 }
