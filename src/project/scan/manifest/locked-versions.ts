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
        if (text !== undefined) return find(text, dependency.name, dependency.version, memberOf(path, folder))
      }
      if (folder === "") return null
    }
  }
}

/** The manifest's folder as its lock file calls it. */
function memberOf(path: string, folder: string): string {
  const own = folderOf(path)
  return own === folder ? "." : own.slice(folder === "" ? 0 : folder.length + 1)
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

/** Under `importers:`, the part of the manifest's folder; in it the name, and the version below what was asked for. */
function inPnpmLock(text: string, name: string, _wanted: string | null, member: string): string | null {
  const start = text.indexOf("\nimporters:\n")
  const end = text.indexOf("\npackages:\n")
  const all = text.slice(Math.max(0, start), end < 0 ? undefined : end)
  const own = start < 0 ? all : importerIn(all, member)
  const at = [`${name}:\n`, `'${name}':\n`].map((key) => own.indexOf(` ${key}`)).find((each) => each >= 0)
  if (at === undefined) return null
  const [, version] =
    /^[^\n]*\n +specifier: [^\n]*\n +version: (\d[^\s(_]*)/.exec(own.slice(at, at + NEAR)) ?? []
  return version ?? null
}

function importerIn(text: string, member: string): string {
  const at = [`\n  ${member}:\n`, `\n  '${member}':\n`]
    .map((key) => text.indexOf(key))
    .find((each) => each >= 0)
  if (at === undefined) return ""
  const next = text.slice(at + 1).search(/\n {2}\S/)
  return next < 0 ? text.slice(at) : text.slice(at, at + 1 + next)
}

/** `react@^18.0.0, react@^18.2.0:` (in yarn 2 quoted, with `npm:`) and the version on the next line. */
function inYarnLock(text: string, name: string, wanted: string | null): string | null {
  if (wanted === null) return null
  for (let at = text.indexOf(`${name}@`); at >= 0; at = text.indexOf(`${name}@`, at + 1)) {
    const start = text.lastIndexOf("\n", at) + 1
    const end = text.indexOf("\n", at)
    if (end < 0) return null
    const listed = text.slice(start, end).replace(/:\s*$/, "").replaceAll('"', "").split(", ")
    if (!listed.some((each) => each === `${name}@${wanted}` || each === `${name}@npm:${wanted}`)) continue
    return /^\s+version:? "?([^"\s]+)/.exec(text.slice(end, end + NEAR))?.[1] ?? null
  }
  return null
}

/** `"react": ["react@18.2.0",`. */
function inBunLock(text: string, name: string): string | null {
  const mark = `"${name}": ["${name}@`
  const at = text.indexOf(mark)
  return at < 0 ? null : (/^\d[^"]*/.exec(text.slice(at + mark.length, at + mark.length + NEAR))?.[0] ?? null)
}

const LOCKS: { name: string; ecosystem: Manifest["ecosystem"]; find: Find }[] = [
  { name: "package-lock.json", ecosystem: "npm", find: inPackageLock },
  { name: "pnpm-lock.yaml", ecosystem: "npm", find: inPnpmLock },
  { name: "yarn.lock", ecosystem: "npm", find: inYarnLock },
  { name: "bun.lock", ecosystem: "npm", find: inBunLock },
  { name: "Cargo.lock", ecosystem: "rust", find: inToml },
  { name: "uv.lock", ecosystem: "python", find: inToml },
  { name: "poetry.lock", ecosystem: "python", find: inToml },
]
type Find = (text: string, name: string, wanted: string | null, member: string) => string | null
const NEAR = 300
const MAX_FOUND = 20
