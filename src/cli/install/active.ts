import { join } from "node:path"
import { isEnabledFor } from "../../hive/plugin-options.ts"
import { installedAgents } from "./agent-plugins.ts"
import {
  type ConfigLocation,
  configFiles,
  findActive,
  isHiveMind,
  readableConfigs,
} from "./find-opencode-config.ts"
import { mcpEntries } from "./mcp-clients.ts"
import { type PluginEntry, pluginEntries } from "./plugin-list.ts"

export async function isActiveHere(location: ConfigLocation): Promise<boolean> {
  if (await isLoadedInOpenCode(location)) return true
  return (await mcpEntries(location)).length > 0 || (await installedAgents(location)).length > 0
}

/** Returns a notice if no agent loads HiveMind here. A config that cannot be read loads nothing. */
export async function inactiveNotice(location: ConfigLocation): Promise<string | null> {
  return (await isActiveHere(location)) ? null : NOTICE
}

async function isLoadedInOpenCode(location: ConfigLocation): Promise<boolean> {
  const { hiveHome, projectDir, env } = location
  const { OPENCODE_CONFIG: file, OPENCODE_CONFIG_DIR: dir, OPENCODE_CONFIG_CONTENT: content } = env
  const more = [
    ...(file ? [file] : []),
    ...(dir ? [join(dir, "opencode.json"), join(dir, "opencode.jsonc")] : []),
  ]
  for (const scope of ["project", "global"] as const) {
    const files = [...configFiles(scope, location), ...(scope === "project" ? more : [])]
    if (findActive(scope, await readableConfigs(files), hiveHome) !== undefined) return true
  }
  const isOurs = ({ specifier, options }: PluginEntry) =>
    isHiveMind(specifier, join(projectDir, "opencode.json")) && isEnabledFor(hiveHome, options)
  try {
    return pluginEntries(content ?? "", "OPENCODE_CONFIG_CONTENT")?.some(isOurs) === true
  } catch {
    return false // OpenCode itself reports that the variable is not valid.
  }
}

const NOTICE =
  "OpenCode does not load HiveMind in this folder. Run `hivemind init` here, then restart OpenCode."
