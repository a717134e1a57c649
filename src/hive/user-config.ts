import { join } from "node:path"

/** The user-wide configuration of HiveMind, in the folder where configurations are kept. */
export function userConfigFile(env: Record<string, string | undefined>, home: string): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "hivemind", "config.json")
}
