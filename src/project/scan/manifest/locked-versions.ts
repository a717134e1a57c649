import { folderOf, inFolder, type ScannedFiles } from "../listing/scanned-files.ts"
import type { Manifest } from "./manifest.ts"

/** The version that the lock file beside a manifest, or above it, has of a dependency; found as text, not parsed. */
export function lockedVersions(
  files: ScannedFiles,
): (manifest: Manifest, dependency: string) => string | null {
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
        if (text !== undefined) return find(text, dependency)
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

/** `name = "tokio"` and the version on the next line. */
function inToml(text: string, name: string): string | null {
  const at = text.indexOf(`\nname = "${name}"\n`)
  return at < 0 ? null : (/version = "([^"]+)"/.exec(text.slice(at, at + NEAR))?.[1] ?? null)
}

const LOCKS: { name: string; ecosystem: Manifest["ecosystem"]; find: typeof inToml }[] = [
  { name: "package-lock.json", ecosystem: "npm", find: inPackageLock },
  { name: "Cargo.lock", ecosystem: "rust", find: inToml },
  { name: "uv.lock", ecosystem: "python", find: inToml },
  { name: "poetry.lock", ecosystem: "python", find: inToml },
]
const NEAR = 300
