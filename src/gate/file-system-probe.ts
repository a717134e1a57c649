import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { withSlashes } from "../project/project-path.ts"
import { findRepository } from "../shared/git-folders.ts"
import { isGlob, segmentsMeet } from "../shared/glob.ts"
import {
  listEntriesOrEmpty,
  listNamesOrEmpty,
  lstatOrUndefined,
  orUndefined,
  readTextOrUndefined,
} from "../shared/lenient-files.ts"
import { isTemporary } from "../shared/well-known-folders.ts"

/** Lookups in the file system outside of the project; paths are absolute. */
export interface FileSystemProbe {
  home: string
  exists: (path: string) => boolean
  /** Whether the path lies in or contains a temporary repository that is older than the session. */
  isOldRepository: (path: string) => boolean
}

export function fileSystemProbe(home: string, began: number): FileSystemProbe {
  const isOld = (folder: string) => {
    const stat = lstatOrUndefined(join(folder, ".git"))
    return stat !== undefined && stat.birthtimeMs < began
  }
  return {
    home: withSlashes(home),
    exists: (path) => lstatOrUndefined(path) !== undefined,
    isOldRepository: (path) =>
      (isGlob(path) ? expandGlobs([path]) : [path]).some((one) => {
        for (let at = one; isTemporary(at); at = dirname(at)) if (isOld(at)) return true
        const inside = listNamesOrEmpty(one).slice(0, MAX_NAMES)
        return inside.some((name) => isOld(join(one, name)))
      }),
  }
}

/** The branch that is checked out in a folder, read from git's files; null if there is none. */
export function currentBranch(dir: string): string | null {
  const folders = findRepository(dir)?.folders
  const head = folders == null ? undefined : readTextOrUndefined(join(folders.gitDir, "HEAD"))
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? null
}

const MAX_NAMES = 200

/** The files that globs match, and the targets of matching links. `**` matches at most one folder level. */
export function expandGlobs(patterns: readonly string[]): string[] {
  const found = new Set<string>()
  let left = MAX_ENTRIES

  function follow(folder: string, [segment, ...rest]: readonly string[]): void {
    if (segment === undefined || left <= 0) return
    const isName = rest.length > 0 && !isGlob(segment)
    if (isName) follow(join(folder, segment), rest)
    const entries = isName ? [] : listEntriesOrEmpty(folder).slice(0, left)
    left -= entries.length
    if (segment === "**") follow(folder, rest)
    for (const entry of entries) {
      const path = join(folder, entry.name)
      const isMatch = segment === "**" ? !SKIPPED_FOLDERS.has(entry.name) : segmentsMeet(segment, entry.name)
      if (isMatch && rest.length > 0 && entry.isDirectory()) follow(path, rest)
      if (!isMatch || rest.length > 0 || segment === "**") continue
      found.add(path)
      if (entry.isSymbolicLink()) found.add(orUndefined(() => realpathSync(path)) ?? path)
    }
  }

  for (const pattern of new Set(patterns)) {
    const segments = withSlashes(pattern).split("/")
    const fixed = segments.findIndex(isGlob)
    if (fixed !== -1) follow(segments.slice(0, fixed).join("/") || "/", segments.slice(fixed))
  }
  return [...found]
}

const SKIPPED_FOLDERS = new Set(["node_modules", ".git"])
const MAX_ENTRIES = 3000
