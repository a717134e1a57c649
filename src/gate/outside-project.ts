import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { findRepository } from "../shared/git-folders.ts"
import { isGlob } from "../shared/glob.ts"
import { isTemporary } from "../shared/well-known-folders.ts"
import { expandGlobs } from "./expand-globs.ts"

/** Questions about the file system outside of the project; paths are absolute. */
export interface Outside {
  home: string
  exists: (path: string) => boolean
  /** Does it lie in, or contain, a repository in a temporary folder that was there before the session? */
  isOldRepository: (path: string) => boolean
}

/** Reads the file system outside of the project. `began`: when the session began, in ms. */
export function outsideProject(home: string, began: number): Outside {
  const isOld = (folder: string) => {
    const stat = statOf(join(folder, ".git"))
    return stat !== undefined && stat.birthtimeMs < began
  }
  return {
    home,
    exists: (path) => statOf(path) !== undefined,
    isOldRepository: (path) =>
      (isGlob(path) ? expandGlobs([path]) : [path]).some((one) => {
        for (let at = one; isTemporary(at); at = dirname(at)) if (isOld(at)) return true
        return namesIn(one).some((name) => isOld(join(one, name)))
      }),
  }
}

/** The branch that is checked out in a folder, read from git's files; null where there is none. */
export function currentBranch(dir: string): string | null {
  const folders = findRepository(dir)?.folders
  try {
    const head = folders == null ? "" : readFileSync(join(folders.gitDir, "HEAD"), "utf8")
    return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? null
  } catch {
    return null // Unreadable: then a push is judged by its text.
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // Unreadable: nothing is known to be there.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES)
  } catch {
    return [] // A file, or not there.
  }
}

const MAX_NAMES = 200
