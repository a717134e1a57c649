import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { findRepository } from "../shared/git-folders.ts"

/**
 * Tells the branch of the worktree that a folder is in, from its `HEAD`; null where that names none, and outside of git.
 * Asked on every write: the file is read again only when it has changed.
 */
export function branchOf(dir: string): () => string | null {
  const gitDir = findRepository(dir)?.folders?.gitDir
  if (gitDir === undefined) return () => null
  const file = join(gitDir, "HEAD")
  let known = { signature: "", branch: null as string | null }
  return () => {
    try {
      const { mtimeMs, ino, size } = statSync(file)
      const signature = `${mtimeMs} ${ino} ${size}`
      if (signature !== known.signature) known = { signature, branch: branchIn(readFileSync(file, "utf8")) }
      return known.branch
    } catch {
      return null // The repository is gone, or not for us to see.
    }
  }
}

function branchIn(head: string): string | null {
  const name = /^ref: refs\/heads\/(\S.*)/.exec(head)?.[1]?.trim() ?? ""
  // A repository with another store for its refs has a name here that no branch can have.
  return name === "" || name === ".invalid" ? null : name
}
