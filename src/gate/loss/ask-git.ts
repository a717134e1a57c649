import { GitFailure, runGit } from "../../project/git/run-git.ts"

/** What git answers; undefined where it says no, or where there is no git. Throws where it does not answer in time. */
export async function askGit(cwd: string, args: readonly string[], input = ""): Promise<string | undefined> {
  try {
    const printed = await runGit(cwd, ["-c", "core.quotePath=false", ...args], { timeoutMs: LIMIT_MS, input })
    return printed.toString()
  } catch (error) {
    // 1 and 128 are git's ways to say no.
    if (error instanceof GitFailure && (error.exit > 0 || error.said.includes("ENOENT"))) return undefined
    throw error
  }
}

/** A line of `git status`: two letters, for the index and for the work tree, and a path from the repository's top. */
export interface Changed {
  index: string
  tree: string
  path: string
}

/** What is in no commit; undefined where this is no repository. `untracked` as git takes it: no, normal (a folder of them as one), all. */
export async function changesIn(
  cwd: string,
  untracked: "no" | "normal" | "all",
  pathspecs: readonly string[] = [],
): Promise<Changed[] | undefined> {
  const options = ["--porcelain=v1", "-z", "--no-renames", `--untracked-files=${untracked}`]
  const printed = await askGit(cwd, ["status", ...options, "--", ...pathspecs])
  return printed
    ?.split("\0")
    .filter((line) => line.length > 3)
    .map((line) => ({ index: line[0] ?? " ", tree: line[1] ?? " ", path: line.slice(3) }))
    .filter(({ index, tree }) => holdsWork(index, tree))
}

/** What is deleted already, in the index or on disk, is not lost once more. */
function holdsWork(index: string, tree: string): boolean {
  return tree === "D" ? index !== " " && index !== "D" : !(index === "D" && tree === " ")
}

const LIMIT_MS = 3000
