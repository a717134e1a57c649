import { askGit } from "./git.ts"

/** A commit that was made in this working copy. */
export interface MadeCommit {
  hash: string
  at: number
  subject: string
  body: string
  /** The one that it amended. */
  replaces: string | null
}

/**
 * The commits made in this working copy since then, oldest first, without those that were amended. Read from the reflog
 * of HEAD, not from the history: a pull, a rebase or another branch brings commits that were not made here.
 */
export async function commitsMadeHere(dir: string, since: number): Promise<MadeCommit[]> {
  const output = await askGit(dir, [
    "log",
    "--walk-reflogs",
    `--since=${Math.floor(since / 1000)}`,
    `--max-count=${MAX_ENTRIES}`,
    "--no-show-signature",
    "--encoding=UTF-8",
    "-z",
    "--format=%H%x00%ct%x00%gs%x00%s%x00%b",
    "HEAD",
  ])
  // The one character that no commit message can hold.
  const fields = (output ?? "").split("\0")
  const entries: { commit: MadeCommit; how: string }[] = []
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [hash = "", seconds = "", how = "", subject = "", body = ""] = fields.slice(at, at + FIELDS)
    // The next entry is where HEAD was before: for an amended commit, the one it replaces.
    const replaces = how.startsWith("commit (amend)") ? (fields[at + FIELDS] ?? "") : ""
    entries.push({
      commit: {
        hash,
        at: Number(seconds) * 1000,
        subject,
        body,
        replaces: replaces === "" ? null : replaces,
      },
      how,
    })
  }
  const replaced = new Set(entries.map(({ commit }) => commit.replaces))
  return entries
    .filter(({ commit, how }) => MADE_HERE.test(how) && !replaced.has(commit.hash))
    .map(({ commit }) => commit)
    .reverse()
}

/**
 * Files that a commit added or changed, relative to the folder and only those inside it. Undefined if git does not say.
 */
export async function filesOfCommit(dir: string, hash: string): Promise<string[] | undefined> {
  const names = await askGit(dir, [
    "diff-tree",
    "--root",
    "--no-commit-id",
    "--name-only",
    "--diff-filter=d",
    "--relative",
    "-r",
    "-z",
    hash,
  ])
  return names?.split("\0").filter((name) => name !== "")
}

const MADE_HERE = /^(commit|cherry-pick|revert)\b/
const FIELDS = 5
const MAX_ENTRIES = 60
