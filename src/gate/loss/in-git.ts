import { type Stats, statSync } from "node:fs"
import { askGit } from "./ask-git.ts"

/** Is the very text that a file has in any commit, stash or index? */
export async function isInGit(repository: string, file: string): Promise<boolean> {
  const found = statOf(file)
  if (found?.size === 0) return true
  if (!found?.isFile()) return false
  const id = (await askGit(repository, ["hash-object", "--", file]))?.trim()
  return id !== undefined && (await askGit(repository, ["cat-file", "-e", id])) !== undefined
}

/** Of what a path leads to; undefined where there is nothing. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
