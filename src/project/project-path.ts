import { lstatSync, readlinkSync } from "node:fs"
import nodePath, { type PlatformPath, parse, resolve, sep } from "node:path"

/**
 * A path relative to the project, with symbolic links resolved (a link into `.hivemind/` is `.hivemind/`); undefined if
 * it leads out of the project.
 */
export function projectPath(projectDir: string, path: string): string | undefined {
  const real = realPaths()
  return insideOf(real(projectDir), real(path))
}

/** The same for many paths; one that leads out stays absolute, with slashes. Folders that they share are looked at once. */
export function projectPaths(projectDir: string): (path: string) => string {
  const real = realPaths()
  const root = real(projectDir)
  return (path) => {
    const found = real(path)
    return insideOf(root, found) ?? withSlashes(found)
  }
}

/** The path with symbolic links resolved, also of a file that is not there yet. */
export function realPath(path: string): string {
  return realPaths()(path)
}

/** True of a relative path that leaves the folder it starts in. */
export function leadsOut(relativePath: string, system: Pick<PlatformPath, "isAbsolute"> = nodePath): boolean {
  return /^\.\.([\\/]|$)/.test(relativePath) || system.isAbsolute(relativePath)
}

/** Undefined for a path that is not below the folder. Windows: drives differ, and case does not count. */
export function insideOf(folder: string, path: string, system: PlatformPath = nodePath): string | undefined {
  if (path.startsWith(folder + system.sep)) return path.slice(folder.length + 1).replaceAll("\\", "/")
  const inside = system.relative(folder, path)
  return leadsOut(inside, system) ? undefined : inside.replaceAll("\\", "/")
}

/** A path outside of the project as it is compared: on Windows with slashes, elsewhere as it is. */
export function withSlashes(path: string, system: Pick<PlatformPath, "sep"> = nodePath): string {
  return system.sep === "\\" ? path.replaceAll("\\", "/") : path
}

/**
 * A path with symbolic links resolved, also of a file that is not there yet. Each folder is looked at once, and none below
 * one that is missing, so that a path costs as much as it is long.
 */
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

  /** Where the name in that folder leads; null where there is none. */
  function step(folder: string, name: string, hops: number): string | null {
    const path = below(folder, name)
    const stat = look(path)
    if (stat === undefined) return null
    if (!stat.isSymbolicLink() || hops === 0) return path
    // A link that leads nowhere yet is followed as well: a write to it creates the target.
    return real(resolve(folder, readlinkSync(path)), hops - 1)
  }

  return (path) => (path.length > MAX_CHARS ? path : real(path, MAX_HOPS))
}

function below(folder: string, rest: string): string {
  return folder.endsWith(sep) ? folder + rest : folder + sep + rest
}

function look(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // A name that is too long, or a folder that may not be read: nothing is known below it.
  }
}

const MAX_CHARS = 4096
const MAX_HOPS = 32
