import { HiveError } from "../shared/error.ts"
import { findRepository } from "../shared/git-folders.ts"

/** True in a repository that can be used: the log of all clones is kept there. */
export function isInRepository(dir: string): boolean {
  return findRepository(dir)?.folders != null
}

export function requireRepository(dir: string): void {
  if (isInRepository(dir)) return
  throw new HiveError({
    code: "git_failed",
    what: "There is nothing to sync with.",
    why: "The log of all clones is kept in a git repository, and this folder is in none.",
    use_instead: "Run `git init` there, or name a project in a repository with `--dir`.",
    evidence: dir,
  })
}
