import { existsSync } from "node:fs"
import { join } from "node:path"
import { changesBetween, type FileChange, filesOfTree } from "./compare.ts"
import { type PrivateRepository, readObjects, runPrivateGit, runUserGit } from "./private-repository.ts"
import type { EndedCall } from "./records.ts"
import { readRefs } from "./repository-state.ts"
import type { SessionStart } from "./session-start.ts"
import { type LeftOutChange, leftOutContent, type WorktreeState } from "./worktree-state.ts"

export interface Loss {
  /** Paths relative to the top of the work tree. */
  deleted: string[]
  overwritten: string[]
  /** Files that were changed or deleted, and are in no snapshot because they are too large. */
  notRestorable: LeftOutChange[]
  /** Commits that are no longer reachable from any branch, tag or stash, newest first. */
  commits: { oid: string; subject: string }[]
}

/** Finds what a call destroyed of the user's earlier work. `written`: files that an edit tool was asked to write. */
export async function findLoss(
  repository: PrivateRepository,
  start: SessionStart,
  { before, after, notRestorable }: EndedCall,
  written: ReadonlySet<string>,
): Promise<Loss> {
  const changes = await changesBetween(repository, before, after)
  const [old, now] = await Promise.all([tipsOf(before), tipsOf(after)])
  const isUncommitted = ({ path, before: was, after: is }: FileChange) =>
    was !== null && start.uncommitted[path] === was.oid && was.oid !== is?.oid && !written.has(path)
  const lost = await withoutKept([...changes.values()].filter(isUncommitted))
  const tooLarge = new Set(after.leftOut.map(({ path }) => path))
  // The file may still exist in an ignored folder that snapshots leave out.
  const isGone = ({ path }: FileChange) => !existsSync(join(repository.top, path))
  const isReplaced = ({ path, after: is, isIgnoredOrNested }: FileChange) =>
    (is !== null || tooLarge.has(path)) && !(isIgnoredOrNested && REWRITTEN.test(path))
  return {
    deleted: lost.filter((change) => change.after === null && isGone(change)).map(({ path }) => path),
    overwritten: lost.filter(isReplaced).map(({ path }) => path),
    notRestorable: notRestorable.filter(isAsAtStart),
    commits: await lostCommits(),
  }

  /** True if the file had not changed between the session's start and the call. For a folder, only existence is known. */
  function isAsAtStart(each: LeftOutChange): boolean {
    if (each.path.endsWith("/")) return start.state.leftOut.some(({ path }) => path === each.path)
    return start.uncommitted[each.path] === leftOutContent(each) && !written.has(each.path)
  }

  /** Leaves out files whose content still exists: at another path, in a new commit or in a new stash. */
  async function withoutKept(hit: readonly FileChange[]): Promise<FileChange[]> {
    if (hit.length === 0) return []
    const [files, others, committed] = await Promise.all([
      filesOfTree(repository, after.files, false),
      filesOfTree(repository, after.ignoredAndNested, true),
      newlyCommitted(),
    ])
    const kept = new Set([...files.values(), ...others.values()].map((file) => file.after?.oid))
    const isKept = (oid: string | undefined) => oid === undefined || kept.has(oid) || committed.has(oid)
    const gone = hit.filter((each) => !isKept(each.before?.oid))
    if (committed.size === 0) return gone
    // Git may have stored the content with other line endings, or through a filter such as Git LFS.
    const asCommitted = await Promise.all(gone.slice(0, MAX_FILTERED).map(filtered))
    return gone.filter((_, n) => !committed.has(asCommitted[n] ?? ""))
  }

  async function filtered({ path, before: was }: FileChange): Promise<string> {
    const input = (await readObjects(repository, [was?.oid ?? ""]))[0]?.content ?? ""
    const hashed = runUserGit(repository, ["hash-object", "--stdin", "--path", path], { input })
    // If the filter fails, git could not have committed the content either.
    return (await hashed.catch(() => "")).toString("latin1").trim()
  }

  async function newlyCommitted(): Promise<Set<string>> {
    const fresh = now.filter((tip) => !old.includes(tip))
    return new Set(await revList(["--objects", "--no-object-names", "--missing=allow-any"], fresh, old))
  }

  /** Leaves out amended and rebased commits: a new commit with the same author and author time replaces them. */
  async function lostCommits(): Promise<Loss["commits"]> {
    const gone = old.filter((tip) => !now.includes(tip))
    const format = ["--no-commit-header", "--format=%H %at%ae %s"]
    const lines = after.repository === null ? [] : await revList(format, gone, now)
    if (lines.length === 0) return []
    const [rewritten, known] = await Promise.all([
      revList(format, now, old),
      tipsOf(start.state).then((tips) => revList([], tips, now)),
    ])
    const signs = new Set(rewritten.map((line) => line.split(" ")[1]))
    return lines.flatMap((line) => {
      const [oid = "", sign, ...subject] = line.split(" ")
      return known.includes(oid) && !signs.has(sign) ? [{ oid, subject: subject.join(" ") }] : []
    })
  }

  /** The commits of all branches, tags, stashes and HEAD. Remote branches count, although a fetch restores them. */
  async function tipsOf({ repository: state }: WorktreeState): Promise<string[]> {
    if (state === null) return []
    const refs = await readRefs(repository, state.refs)
    const tips = [...refs.map(({ oid }) => oid), ...state.stashes.map(({ commit }) => commit)]
    return [...new Set([...tips, ...(state.head === null ? [] : [state.head])])]
  }

  async function revList(args: string[], from: readonly string[], not: readonly string[]): Promise<string[]> {
    if (from.length === 0) return []
    const input = [...from, ...not.map((oid) => `^${oid}`), ""].join("\n")
    const all = ["rev-list", "--ignore-missing", `--max-count=${MAX_COMMITS}`, ...args, "--stdin"]
    const output = (await runPrivateGit(repository, all, { input })).toString("utf8")
    return output.split("\n").filter(Boolean)
  }
}

/** Ignored files that running programs write to all the time, such as logs and databases. */
const REWRITTEN = /\.(log|db|sqlite3?|db-\w+|sqlite3?-\w+|pid|lock|tsbuildinfo|cache)$/i
const MAX_COMMITS = 1000
const MAX_FILTERED = 20
