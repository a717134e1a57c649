import { lstatSync, realpathSync, type Stats, statSync } from "node:fs"
import { posix, sep } from "node:path"
import { isGlob } from "../../shared/glob.ts"

/** With all links resolved; undefined where there is nothing. */
export function real(path: string): string | undefined {
  try {
    return realpathSync(path).replaceAll(sep, "/")
  } catch {
    return undefined
  }
}

/** A link that leads nowhere is there too. */
export function isThere(path: string): boolean {
  return ownStatOf(path) !== undefined
}

/** Of what a path leads to; undefined where there is nothing, also where a part of it is no folder. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Of a link itself. */
export function ownStatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** A folder, or a link that leads to one. */
export function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false
}

/** The innermost repository that a folder, absolute and without links, is in: the project may be a part of one. */
export function repositoryAround(folder: string): string | undefined {
  for (let at = folder; ; at = posix.dirname(at)) {
    if (isThere(posix.join(at, ".git"))) return at
    if (at === posix.dirname(at)) return undefined
  }
}

/** The repository of the project itself, or the project where it has none. */
export function repositoryOf(project: string): string {
  const folder = real(project) ?? project
  return repositoryAround(folder) ?? folder
}

/** As the shell takes a pattern: `*` stays in its folder, and a folder that it fits goes with all that is in it. */
export function pathspecs(path: string, whole: boolean): string[] {
  if (!isGlob(path)) return [`:(top,literal)${path}`]
  return [`:(top,glob)${path}`, ...(whole ? [`:(top,glob)${path}/**`] : [])]
}
