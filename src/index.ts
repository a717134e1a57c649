import type { PluginModule } from "@opencode-ai/plugin"
import { openCodePlugin } from "./hosts/opencode/plugin.ts"

const plugin: PluginModule = { id: "hivemind", server: openCodePlugin }

export default plugin
