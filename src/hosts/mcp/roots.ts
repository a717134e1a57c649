import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { locateHive } from "../../hive/locate.ts"
import { hasHive } from "../../store/files/layout.ts"

/** The folder that the client works in: of several the first that has a hive, else the first; none that is no folder. */
export function projectAmong(roots: readonly string[]): string | undefined {
  const folders = roots.flatMap((uri) => folderOf(uri) ?? [])
  return folders.find((folder) => hasHive(locateHive(folder).home)) ?? folders[0]
}

function folderOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri)
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined
  } catch {
    return undefined // No file, or none that may be looked at.
  }
}
