import type { Dependency, Manifest } from "./manifest.ts"
import { folderOf, inFolder, type ScannedFiles } from "./scanned-files.ts"

/** The version of a dependency in the lock file beside its manifest or above it. Searched as text: lock files are large. */
export function lockedVersions(
  files: ScannedFiles,
): (manifest: Manifest, dependency: Dependency) => string | null {
  const texts = new Map<string, string | undefined>()
  const textOf = (path: string) => {
    if (!texts.has(path)) texts.set(path, files.has(path) ? files.text(path) : undefined)
    return texts.get(path)
  }
  return ({ path, ecosystem }, { name, version }) => {
    const own = folderOf(path)
    for (let folder = own; ; folder = folderOf(folder)) {
      for (const lock of LOCKS.filter((each) => each.ecosystem === ecosystem)) {
        const text = textOf(inFolder(folder, lock.name))
        const member = own === folder ? "." : own.slice(folder === "" ? 0 : folder.length + 1)
        if (text !== undefined) return lock.find(text, name, version, member)
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

/** `name = "tokio"` and the version on the next line. Of several versions, the one that the manifest asks for. */
function inToml(text: string, name: string, wanted: string | null): string | null {
  const found = text
    .split(`\nname = "${name}"\n`, MAX_FOUND)
    .slice(1)
    .flatMap((after) => /version = "([^"]+)"/.exec(after.slice(0, NEAR))?.[1] ?? [])
  if (found.length < 2) return found[0] ?? null
  const start = /\d+(\.\d+)*/.exec(wanted ?? "")?.[0]
  return found.find((version) => start !== undefined && `${version}.`.startsWith(`${start}.`)) ?? null
}

/** Under `importers:` the folder of the manifest, in it the name, and below that the version. */
function inPnpmLock(text: string, name: string, _wanted: string | null, member: string): string | null {
  const importers = text.slice(Math.max(0, text.indexOf("\nimporters:\n")))
  const [, own = ""] = importers.split(new RegExp(`\\n {2}'?${escaped(member)}'?:\\n`), 2)
  const end = own.search(/^(?: {2})?\S/m)
  const entry = new RegExp(`^ +'?${escaped(name)}'?:\\n +specifier: .*\\n +version: (\\d[^\\s(_]*)`, "m")
  return entry.exec(end < 0 ? own : own.slice(0, end))?.[1] ?? null
}

/** `react@^18.0.0, react@^18.2.0:` (in yarn 2 quoted, with `npm:`) and the version on the next line. */
function inYarnLock(text: string, name: string, wanted: string | null): string | null {
  for (const asked of wanted === null ? [] : [`${name}@${wanted}`, `${name}@npm:${wanted}`])
    for (let at = text.indexOf(asked); at >= 0; at = text.indexOf(asked, at + 1)) {
      const isWhole = /[\s"]/.test(text[at - 1] ?? "\n") && /[",:]/.test(text[at + asked.length] ?? "")
      const after = text.slice(Math.max(0, text.indexOf("\n", at)))
      const version = isWhole ? /^\s+version:? "?([^"\s]+)/.exec(after.slice(0, NEAR))?.[1] : undefined
      if (version !== undefined) return version
    }
  return null
}

/** `"react": ["react@18.2.0",`. */
function inBunLock(text: string, name: string): string | null {
  const [, after] = text.split(`"${name}": ["${name}@`, 2)
  return /^\d[^"]*/.exec(after ?? "")?.[0] ?? null
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
}

type Find = (text: string, name: string, wanted: string | null, member: string) => string | null

const LOCKS: { name: string; ecosystem: Manifest["ecosystem"]; find: Find }[] = [
  { name: "package-lock.json", ecosystem: "npm", find: inPackageLock },
  { name: "pnpm-lock.yaml", ecosystem: "npm", find: inPnpmLock },
  { name: "yarn.lock", ecosystem: "npm", find: inYarnLock },
  { name: "bun.lock", ecosystem: "npm", find: inBunLock },
  { name: "Cargo.lock", ecosystem: "rust", find: inToml },
  { name: "uv.lock", ecosystem: "python", find: inToml },
  { name: "poetry.lock", ecosystem: "python", find: inToml },
]
const NEAR = 300
const MAX_FOUND = 20
