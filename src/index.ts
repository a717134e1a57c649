import type { PluginModule } from "@opencode-ai/plugin"
import { openCodePlugin } from "./hosts/opencode/plugin.ts"
import { setUp } from "./hosts/opencode2/setup.ts"

/** The plugin's entry points: OpenCode 1 calls `server`, OpenCode 2 calls `setup`. */
export interface HiveMindPlugin {
  id: string
  server: (...given: never[]) => Promise<object>
  setup: (...given: never[]) => Promise<() => Promise<void>>
}

const plugin = { id: "hivemind", server: openCodePlugin, setup: setUp } satisfies PluginModule & {
  setup: typeof setUp
}

export default plugin as HiveMindPlugin
