import type { HivePlace } from "../../hive/locate.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { runGit } from "./run-git.ts"

/** The output of a git command that only reads; undefined on any failure: no git, no repository, too slow, too much. */
export async function askGit(dir: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await runGit(dir, args, { timeoutMs: LIMIT_MS, maxBytes: MAX_BYTES })).toString("utf8")
  } catch {
    return undefined // Also where the process cannot be started, because the folder is gone.
  }
}

export interface MadeCommit {
  hash: string
  at: number
  subject: string
  body: string
  /** The commit that it amended. */
  replaces: string | null
}

/**
 * The commits made in this working copy since then, oldest first, without those that were amended. Read from the reflog
 * of HEAD, not from the history: a pull, a rebase or another branch brings commits that were not made here.
 */
export async function commitsMadeHere(dir: string, since: number): Promise<MadeCommit[]> {
  const limits = [`--since=${Math.floor(since / 1000)}`, `--max-count=${MAX_ENTRIES}`]
  const format = ["--no-show-signature", "--encoding=UTF-8", "-z", "--format=%H%x00%ct%x00%gs%x00%s%x00%b"]
  const output = await askGit(dir, ["log", "--walk-reflogs", ...limits, ...format, "HEAD"])
  // No commit message can contain a zero character.
  const fields = (output ?? "").split("\0")
  const entries: { commit: MadeCommit; how: string }[] = []
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [hash = "", seconds = "", how = "", subject = "", body = ""] = fields.slice(at, at + FIELDS)
    // The next entry is the previous place of HEAD: for an amended commit, the commit that it replaces.
    const replaces = how.startsWith("commit (amend)") ? fields[at + FIELDS] || null : null
    entries.push({ commit: { hash, at: Number(seconds) * 1000, subject, body, replaces }, how })
  }
  const replaced = new Set(entries.map(({ commit }) => commit.replaces))
  return entries
    .filter(({ commit, how }) => MADE_HERE.test(how) && !replaced.has(commit.hash))
    .map(({ commit }) => commit)
    .reverse()
}

/** Files that a commit added or changed, relative to the folder and inside it. Undefined where git fails. */
export async function filesOfCommit(dir: string, hash: string): Promise<string[] | undefined> {
  const options = ["--root", "--no-commit-id", "--name-only", "--diff-filter=d", "--relative", "-r", "-z"]
  const names = await askGit(dir, ["diff-tree", ...options, hash])
  return names?.split("\0").filter((name) => name !== "")
}

/** The number of files of `.hivemind/` that git tracks, by worktree: HiveMind 0.1 had people commit them. */
export async function trackedHive({ home, dir }: HivePlace): Promise<{ folder: string; files: number }[]> {
  const folders = [...new Set([home, dir])]
  const counts = await Promise.all(
    folders.map(async (folder) => {
      const names = await askGit(folder, ["ls-files", "-z", "--", HIVE_FOLDER])
      return { folder, files: (names ?? "").split("\0").length - 1 }
    }),
  )
  return counts.filter(({ files }) => files > 0)
}

/** Takes it out of git. The files stay where they are. */
export const TAKE_OUT = `git rm -r -q --cached ${HIVE_FOLDER} && git commit -m "Take ${HIVE_FOLDER} out of git"`
const MADE_HERE = /^(commit|cherry-pick|revert)\b/
const FIELDS = 5
const MAX_ENTRIES = 60
const LIMIT_MS = 10_000
const MAX_BYTES = 4 << 20
