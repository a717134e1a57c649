import { realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative } from "node:path"

/**
 * A path relative to the project, with symbolic links resolved (a link into `.hivemind/` is `.hivemind/`); undefined if
 * it leads out of the project.
 */
export function projectPath(projectDir: string, path: string): string | undefined {
  const inside = relative(real(projectDir), real(path))
  return leadsOut(inside) ? undefined : inside.replaceAll("\\", "/")
}

/** True of a relative path that leaves the folder it starts in. */
export function leadsOut(relativePath: string): boolean {
  return /^\.\.([\\/]|$)/.test(relativePath) || isAbsolute(relativePath)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(real(parent), basename(path)) // Not there yet: its folder may be a link.
  }
}
