import type { PluginModule } from "@opencode-ai/plugin"
import { eventHook } from "./hooks/event.ts"
import { guarded } from "./hooks/guard.ts"
import { projectDir, toastWith, toHostTool } from "./host/opencode.ts"
import { userConfigFile } from "./host/user-config.ts"
import type { Hive } from "./lib/hive.ts"
import { openHiveIn } from "./lib/open-hive.ts"
import { hivePaths } from "./lib/store/layout.ts"
import { openLog } from "./lib/store/log-file.ts"
import { defaultConfig } from "./schemas/config.ts"
import { systemSource } from "./shared/ids.ts"
import { tools } from "./tools/index.ts"

const plugin: PluginModule = {
  id: "hivemind",
  server: async (input, options) => {
    const dir = projectDir(input)
    const paths = hivePaths(dir)
    const source = systemSource
    let config = defaultConfig
    const { log } = openLog(paths, source.now, () => config.log_level)

    // Opened on first use: OpenCode's start waits for nothing of ours.
    let opened: Promise<Hive> | undefined
    const hive = () => {
      opened ??= open()
      return opened
    }
    async function open(): Promise<Hive> {
      const { hive: fresh, configProblems } = await openHiveIn(dir, {
        source,
        userConfig: userConfigFile(),
        options: { name: "the plugin's options", value: options },
        onBackgroundError: (error) => log("error", "fold failed", error),
      })
      config = fresh.config
      for (const problem of configProblems) log("error", `config: ${problem}`)
      return fresh
    }

    return {
      tool: Object.fromEntries(tools.map((tool) => [tool.name, toHostTool(tool, hive)])),
      event: guarded("event", log, eventHook({ hive, log, toast: toastWith(input.client) })),
      dispose: guarded("dispose", log, async () => (await opened)?.store.close()),
    }
  },
}

export default plugin
