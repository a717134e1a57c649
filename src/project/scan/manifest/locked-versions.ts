import { folderOf, inFolder, type ScannedFiles } from "../listing/scanned-files.ts"
import type { Dependency, Manifest } from "./manifest.ts"

/** The version that the lock file beside a manifest, or above it, has of a dependency; found as text, not parsed. */
export function lockedVersions(
  files: ScannedFiles,
): (manifest: Manifest, dependency: Dependency) => string | null {
  const texts = new Map<string, string | undefined>()
  const textOf = (path: string) => {
    if (!texts.has(path)) texts.set(path, files.text(path))
    return texts.get(path)
  }
  return ({ path, ecosystem }, dependency) => {
    const locks = LOCKS.filter((lock) => lock.ecosystem === ecosystem)
    for (let folder = folderOf(path); ; folder = folderOf(folder)) {
      for (const { name, find } of locks) {
        const file = inFolder(folder, name)
        const text = files.has(file) ? textOf(file) : undefined
        if (text !== undefined) return find(text, dependency.name, dependency.version)
      }
      if (folder === "") return null
    }
  }
}

/** `"node_modules/react": {` and the version below it. */
function inPackageLock(text: string, name: string): string | null {
  const at = text.indexOf(`"node_modules/${name}": {`)
  return at < 0 ? null : (/"version":\s*"([^"]+)"/.exec(text.slice(at, at + NEAR))?.[1] ?? null)
}

/** `name = "tokio"` and the version on the next line. Of several versions, the one that is asked for. */
function inToml(text: string, name: string, wanted: string | null): string | null {
  const found: string[] = []
  const mark = `\nname = "${name}"\n`
  for (let at = text.indexOf(mark); at >= 0 && found.length < MAX_FOUND; at = text.indexOf(mark, at + 1)) {
    const version = /version = "([^"]+)"/.exec(text.slice(at, at + NEAR))?.[1]
    if (version !== undefined) found.push(version)
  }
  if (found.length < 2) return found[0] ?? null
  const start = /\d+(\.\d+)*/.exec(wanted ?? "")?.[0]
  return found.find((version) => start !== undefined && `${version}.`.startsWith(`${start}.`)) ?? null
}

const LOCKS: { name: string; ecosystem: Manifest["ecosystem"]; find: typeof inToml }[] = [
  { name: "package-lock.json", ecosystem: "npm", find: inPackageLock },
  { name: "Cargo.lock", ecosystem: "rust", find: inToml },
  { name: "uv.lock", ecosystem: "python", find: inToml },
  { name: "poetry.lock", ecosystem: "python", find: inToml },
]
const NEAR = 300
const MAX_FOUND = 20
