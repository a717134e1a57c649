import { readlinkSync } from "node:fs"
import nodePath, { type PlatformPath, parse, resolve, sep } from "node:path"
import { lstatOrUndefined } from "../shared/lenient-files.ts"

/** The path relative to the project, with symbolic links resolved; undefined if it leads out of the project. */
export function projectPath(projectDir: string, path: string): string | undefined {
  const real = realPaths()
  return insideOf(real(projectDir), real(path))
}

/** Like projectPath for many paths, reading each folder once. A path that leads out is returned as absolute, with slashes. */
export function projectPaths(projectDir: string): (path: string) => string {
  const real = realPaths()
  const root = real(projectDir)
  return (path) => {
    const found = real(path)
    return insideOf(root, found) ?? withSlashes(found)
  }
}

export function realPath(path: string): string {
  return realPaths()(path)
}

export function leadsOut(relativePath: string, system: Pick<PlatformPath, "isAbsolute"> = nodePath): boolean {
  return /^\.\.([\\/]|$)/.test(relativePath) || system.isAbsolute(relativePath)
}

/** The path relative to the folder, with slashes; undefined if it is not below the folder. */
export function insideOf(folder: string, path: string, system: PlatformPath = nodePath): string | undefined {
  if (path.startsWith(folder + system.sep)) return path.slice(folder.length + 1).replaceAll("\\", "/")
  const inside = system.relative(folder, path)
  return leadsOut(inside, system) ? undefined : inside.replaceAll("\\", "/")
}

/** The path with slashes: only changes paths on Windows. */
export function withSlashes(path: string, system: Pick<PlatformPath, "sep"> = nodePath): string {
  return system.sep === "\\" ? path.replaceAll("\\", "/") : path
}

/** Returns a function that resolves symbolic links, also for missing files. It reads each folder once. */
function realPaths(): (path: string) => string {
  const seen = new Map<string, string | null>()

  function real(path: string, hops: number): string {
    const { root } = parse(path)
    const names = path.slice(root.length).split(sep)
    let at = root
    let spelled = root
    for (const [index, name] of names.entries()) {
      if (name === "") continue
      spelled += sep + name
      const known = seen.get(spelled)
      const found = known === undefined ? step(at, name, hops) : known
      if (known === undefined) seen.set(spelled, found)
      if (found === null) return below(at, names.slice(index).join(sep))
      at = found
    }
    return at
  }

  /** The real path of a name in a folder; null if it does not exist. */
  function step(folder: string, name: string, hops: number): string | null {
    const path = below(folder, name)
    const stat = lstatOrUndefined(path)
    if (stat === undefined) return null
    if (!stat.isSymbolicLink() || hops === 0) return path
    // A broken link is followed as well, as a write to it creates its target.
    return real(resolve(folder, readlinkSync(path)), hops - 1)
  }

  return (path) => (path.length > MAX_CHARS ? path : real(path, MAX_HOPS))
}

function below(folder: string, rest: string): string {
  return folder.endsWith(sep) ? folder + rest : folder + sep + rest
}

const MAX_CHARS = 4096
const MAX_HOPS = 32

/** The folder of a path with slashes; "" for a file at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
