import type { PluginInput } from "@opencode-ai/plugin"
import { must } from "./answered.ts"

interface ModelName {
  providerID: string
  modelID: string
}

/** How many tokens each model takes. The host is asked once per process, and its own word in a request wins. */
export function modelWindows(client: PluginInput["client"]) {
  const windows = new Map<string, number>()
  let asked: Promise<void> | undefined
  const keyOf = ({ providerID, modelID }: ModelName) => `${providerID}/${modelID}`

  async function ask(): Promise<void> {
    for (const provider of must(await client.config.providers()).providers) {
      for (const [modelID, model] of Object.entries(provider.models)) {
        const key = keyOf({ providerID: provider.id, modelID })
        if (model.limit.context > 0) windows.set(key, windowOf(model.limit))
      }
    }
  }

  return {
    of: (model: ModelName) => windows.get(keyOf(model)),
    async learn(model: ModelName): Promise<void> {
      if (windows.has(keyOf(model))) return
      asked ??= ask().catch((error: unknown) => {
        asked = undefined
        throw error
      })
      await asked
    },
  }
}

/** `input` is there for some models (seen with 1.18), but not in OpenCode's types. */
interface Limit {
  context: number
  output?: number
  input?: number
}

/**
 * What a session can fill. OpenCode compacts by itself before the answer would have no room: at the input's limit less a
 * reserve, else at the window less the longest answer. Where that comes early, a window that is only full after it would
 * never be; 85 % of what counts as the window always lies before it.
 */
export function windowOf({ context, output = 0, input }: Limit): number {
  const answer = Math.min(output, LONGEST_ANSWER)
  const compactsAt = input === undefined ? context - answer : input - Math.min(answer, RESERVE)
  const most = Math.min(input ?? context, context)
  return compactsAt > 0 ? Math.min(most, Math.floor(compactsAt / FULL)) : most
}

const LONGEST_ANSWER = 32_000
const RESERVE = 20_000
const FULL = 0.85
