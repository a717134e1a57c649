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
        if (model.limit.context > 0) windows.set(key, model.limit.context)
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
