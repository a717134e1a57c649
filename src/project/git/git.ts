import type { HivePlace } from "../../hive/locate.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { runGit } from "./run-git.ts"

/** The output of a git command; undefined on any failure: no git, no repository, too slow, too much output. */
export async function askGit(dir: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await runGit(dir, args, { timeoutMs: LIMIT_MS, maxBytes: MAX_BYTES })).toString("utf8")
  } catch {
    return undefined // git failed or could not start, for example because the folder is gone.
  }
}

export interface MadeCommit {
  hash: string
  at: number
  subject: string
  body: string
  /** The hash of the commit that this one amended; null for a new commit. */
  replaces: string | null
}

/** Commits made in this work tree since a time, oldest first. Read from the reflog, as `git log` includes pulled ones. */
export async function commitsMadeHere(dir: string, since: number): Promise<MadeCommit[]> {
  const limits = [`--since=${Math.floor(since / 1000)}`, `--max-count=${MAX_ENTRIES}`]
  const format = ["--no-show-signature", "--encoding=UTF-8", "-z", "--format=%H%x00%ct%x00%gs%x00%s%x00%b"]
  const output = await askGit(dir, ["log", "--walk-reflogs", ...limits, ...format, "HEAD"])
  // A commit message cannot contain a zero byte, so it can separate the fields.
  const fields = (output ?? "").split("\0")
  const entries: { commit: MadeCommit; how: string }[] = []
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [hash = "", seconds = "", how = "", subject = "", body = ""] = fields.slice(at, at + FIELDS)
    // The next entry is the earlier HEAD: for an amended commit, that is the commit it replaces.
    const replaces = how.startsWith("commit (amend)") ? fields[at + FIELDS] || null : null
    entries.push({ commit: { hash, at: Number(seconds) * 1000, subject, body, replaces }, how })
  }
  const replaced = new Set(entries.map(({ commit }) => commit.replaces))
  return entries
    .filter(({ commit, how }) => MADE_HERE.test(how) && !replaced.has(commit.hash))
    .map(({ commit }) => commit)
    .reverse()
}

/** Files in the folder that a commit added or changed, relative to the folder; undefined if git fails. */
export async function filesOfCommit(dir: string, hash: string): Promise<string[] | undefined> {
  const options = ["--root", "--no-commit-id", "--name-only", "--diff-filter=d", "--relative", "-r", "-z"]
  const names = await askGit(dir, ["diff-tree", ...options, hash])
  return names?.split("\0").filter((name) => name !== "")
}

/** How many files of `.hivemind/` git tracks, by worktree. HiveMind 0.1 told users to commit them. */
export async function trackedHive({ home, dir }: HivePlace): Promise<{ folder: string; files: number }[]> {
  const counts = await Promise.all(
    [...new Set([home, dir])].map(async (folder) => {
      const names = await askGit(folder, ["ls-files", "-z", "--", HIVE_FOLDER])
      return { folder, files: (names ?? "").split("\0").length - 1 }
    }),
  )
  return counts.filter(({ files }) => files > 0)
}

/** The commands with which a user removes `.hivemind/` from git. The files stay on disk. */
export const TAKE_OUT = `git rm -r -q --cached ${HIVE_FOLDER} && git commit -m "Take ${HIVE_FOLDER} out of git"`
const MADE_HERE = /^(commit|cherry-pick|revert)\b/
const FIELDS = 5
const MAX_ENTRIES = 60
const LIMIT_MS = 10_000
const MAX_BYTES = 4 << 20
