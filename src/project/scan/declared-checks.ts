import type { CommandPurpose } from "../../schemas/project-map.ts"
import { mapFile } from "./map-file.ts"

/** Commands with such a purpose can fail over the project's state. */
export const checkPurposes: ReadonlySet<CommandPurpose> = new Set([
  "test",
  "lint",
  "typecheck",
  "check",
  "build",
])

/** The commands by which the project is checked, as its last scan has found them: `mise run ci`. Empty without a scan. */
export async function declaredChecks(place: { home: string; dir: string }): Promise<readonly string[]> {
  const file = mapFile(place)
  const version = file.version()
  if (version === undefined) return []
  const known = cache.get(place.dir)
  if (known?.version === version) return known.commands
  const { map } = (await file.read()) ?? {}
  const checks = map?.commands.filter(({ purpose }) => checkPurposes.has(purpose)) ?? []
  const commands = [...new Set(checks.map(({ command }) => command))]
  cache.set(place.dir, { version, commands })
  return commands
}

/** A map is read again when it was written anew; one per project of this process. */
const cache = new Map<string, { version: string; commands: readonly string[] }>()
