import { realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative } from "node:path"

/**
 * A path relative to the project, with symbolic links resolved (a link into `.hivemind/` is `.hivemind/`); undefined if
 * it leads out of the project.
 */
export function projectPath(projectDir: string, path: string): string | undefined {
  const inside = relative(realPath(projectDir), realPath(path))
  return leadsOut(inside) ? undefined : inside.replaceAll("\\", "/")
}

/** True of a relative path that leaves the folder it starts in. */
export function leadsOut(relativePath: string): boolean {
  return /^\.\.([\\/]|$)/.test(relativePath) || isAbsolute(relativePath)
}

/** The path with symbolic links resolved, also of a file that is not there yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path)) // Not there yet: its folder may be a link.
  }
}
