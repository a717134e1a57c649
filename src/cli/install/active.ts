import { join } from "node:path"
import { isEnabledFor } from "../../hive/plugin-options.ts"
import { installedAgents } from "./agent-plugins.ts"
import {
  type ConfigLocation,
  configFiles,
  findActive,
  isHiveMind,
  readableConfigs,
  readConfigs,
} from "./find-opencode-config.ts"
import { mcpEntries } from "./mcp-clients.ts"
import { pluginEntries } from "./plugin-list.ts"

export async function isActiveHere(location: ConfigLocation): Promise<boolean> {
  return (await isLoaded(location, readableConfigs)) || hasOtherAgent(location)
}

/** Returns a notice if no agent loads HiveMind here. Null also if a config cannot be read, which doctor reports. */
export async function inactiveNotice(location: ConfigLocation): Promise<string | null> {
  try {
    const isActive = (await isLoaded(location, readConfigs)) || (await hasOtherAgent(location))
    return isActive ? null : NOTICE
  } catch {
    return null
  }
}

async function hasOtherAgent(location: ConfigLocation): Promise<boolean> {
  return (await mcpEntries(location)).length > 0 || (await installedAgents(location)).length > 0
}

async function isLoaded(location: ConfigLocation, read: typeof readConfigs): Promise<boolean> {
  const { hiveHome, projectDir, env } = location
  const { OPENCODE_CONFIG: file, OPENCODE_CONFIG_DIR: dir, OPENCODE_CONFIG_CONTENT: content } = env
  const more = [
    ...(file ? [file] : []),
    ...(dir ? [join(dir, "opencode.json"), join(dir, "opencode.jsonc")] : []),
  ]
  for (const scope of ["project", "global"] as const) {
    const files = [...configFiles(scope, location), ...(scope === "project" ? more : [])]
    if (findActive(scope, await read(files), hiveHome) !== undefined) return true
  }
  const entries = content ? pluginEntries(content, "OPENCODE_CONFIG_CONTENT") : []
  const isOurs = (specifier: string) => isHiveMind(specifier, join(projectDir, "opencode.json"))
  return (
    entries?.some(({ specifier, options }) => isOurs(specifier) && isEnabledFor(hiveHome, options)) === true
  )
}

const NOTICE =
  "OpenCode does not load HiveMind in this folder. Run `hivemind init` here, then restart OpenCode."
