import { homedir } from "node:os"
import { join } from "node:path"

/** The user-wide configuration of HiveMind, beside OpenCode's own. */
export function userConfigFile(): string {
  const base = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config")
  return join(base, "hivemind", "config.json")
}
