import type { PluginModule } from "@opencode-ai/plugin"
import { openCodePlugin } from "./hosts/opencode/plugin.ts"
import type { Context } from "./hosts/opencode2/context.ts"
import { setUp } from "./hosts/opencode2/setup.ts"

/** One object for both: OpenCode 1 calls `server`, OpenCode 2 calls `setup`. */
const plugin: PluginModule & { setup: (context: Context) => Promise<() => Promise<void>> } = {
  id: "hivemind",
  server: openCodePlugin,
  setup: setUp,
}

export default plugin
