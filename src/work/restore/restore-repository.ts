import { existsSync } from "node:fs"
import { join } from "node:path"
import { isSameEntry } from "../../project/git/write-objects.ts"
import { HiveError } from "../../shared/error.ts"
import { linkedWorktrees } from "../../shared/git-folders.ts"
import { type FileChange, filesOfTree } from "../../snapshots/compare.ts"
import { type PrivateRepository, runPrivateGit, runUserGit } from "../../snapshots/private-repository.ts"
import { type SnapshotRecord, snapshotId } from "../../snapshots/records.ts"
import { readRefs } from "../../snapshots/repository-state.ts"
import type { RepositoryState, WorktreeState } from "../../snapshots/worktree-state.ts"

export interface RepositoryPlan {
  refs: PlannedRef[]
  stashes: RepositoryState["stashes"]
  /** Lines for `git update-index --index-info`. */
  staged: string[]
  notes: string[]
  present: string[]
}

type PlannedRef = { name: string; oid: string; from: string | null }

/** Plans refs, stashes and index. A ref that has moved since the call is left alone, and its old commit gets a new branch. */
export async function planRepository(
  repository: PrivateRepository,
  record: SnapshotRecord,
  now: WorktreeState,
): Promise<RepositoryPlan> {
  const plan: RepositoryPlan = { refs: [], stashes: [], staged: [], notes: [], present: [] }
  const before = record.before.repository
  const after = (record.after ?? now).repository
  if (before === null || after === null || now.repository === null || repository.user === null) return plan
  const byName = async ({ refs }: RepositoryState) =>
    new Map((await readRefs(repository, refs)).map((ref) => [ref.name, ref]))
  const [old, ended, current] = await Promise.all([byName(before), byName(after), byName(now.repository)])
  plan.present = [...current.values()].map(({ oid }) => oid)
  const elsewhere = await checkedOutElsewhere(repository)
  for (const { name, oid, target } of old.values()) {
    if (target !== undefined || NOT_RESTORED.test(name) || ended.get(name)?.oid === oid) continue
    const present = current.get(name)?.oid ?? null
    if (present === oid) continue
    if (elsewhere.has(name)) {
      plan.notes.push(`${name} is checked out in another worktree, so it is not moved.`)
      if (await isLost(oid)) addBeside(name, oid)
    } else if (present === (ended.get(name)?.oid ?? null)) plan.refs.push({ name, oid, from: present })
    else addBeside(name, oid)
  }
  if (before.branch === null && before.head !== null && (await isLost(before.head)))
    addBeside("refs/heads/HEAD", before.head)
  const branch = before.branch ?? "a detached HEAD"
  if (before.branch !== now.repository.branch)
    plan.notes.push(`The snapshot was taken on ${branch}; HEAD is not moved.`)
  const present = new Set([...now.repository.stashes, ...after.stashes].map(({ commit }) => commit))
  plan.stashes = before.stashes.filter(({ commit }) => !present.has(commit)).reverse()
  const head = plan.refs.find(({ name }) => name === now.repository?.branch)?.oid ?? now.repository.head
  plan.staged = await plannedStaged(repository, before, after, now.repository, head)
  return plan

  async function isLost(commit: string): Promise<boolean> {
    if (plan.present.includes(commit) || now.repository?.head === commit) return false
    const args = ["rev-list", "--ignore-missing", "--max-count=1", "--stdin"]
    const input = lines([commit, ...plan.present.map((oid) => `^${oid}`)])
    return (await runPrivateGit(repository, args, { input })).length > 0
  }

  function addBeside(name: string, oid: string): void {
    const beside = name.replace(/^refs\/[^/]+\//, (kind) => `${kind}restored/${snapshotId(record)}/`)
    const there = current.get(beside)?.oid
    if (there === undefined) plan.refs.push({ name: beside, oid, from: null })
    else if (there !== oid)
      plan.notes.push(
        `${name} was at commit ${oid}. It gets no new branch, because ${beside} exists already.`,
      )
  }
}

/** Carries out the plan; returns the failures. Git objects are copied first: `git gc` may have deleted the user's. */
export async function restoreRepository(
  repository: PrivateRepository,
  { refs, stashes, staged, present }: RepositoryPlan,
): Promise<{ path: string; why: string }[]> {
  const failed: { path: string; why: string }[] = []
  const attempt = async (path: string, args: string[], input = "") => {
    await runUserGit(repository, args, { input }).catch((error: Error) =>
      failed.push({ path, why: error.message }),
    )
  }
  const tips = [...refs.map(({ oid }) => oid), ...stashes.map(({ commit }) => commit)]
  const blobs = staged.flatMap((line) => /^1[02]\d* ([0-9a-f]+)\t/.exec(line)?.[1] ?? [])
  // If objects cannot be copied, only the refs that need them fail in the loop below.
  await bringObjects(repository, tips, blobs, present).catch((error: Error) =>
    failed.push({ path: "objects", why: error.message }),
  )
  // Refs are restored one by one: if a branch `a/b` exists now, only the branch `a` fails.
  for (const { name, oid, from } of refs)
    await attempt(name, ["update-ref", name, oid, from ?? "0".repeat(oid.length)])
  for (const { commit, message } of stashes)
    await attempt("refs/stash", ["stash", "store", "-q", "-m", message, commit])
  const input = staged.map((line) => `${line}\0`).join("")
  if (staged.length > 0) await attempt("index", ["update-index", "-z", "--index-info"], input)
  return failed
}

/** Plans only index entries that have not changed since the call. A merge in progress is not restored. */
async function plannedStaged(
  repository: PrivateRepository,
  before: RepositoryState,
  after: RepositoryState,
  now: RepositoryState,
  head: string | null,
): Promise<string[]> {
  if (before.index.tree === after.index.tree || before.index.tree === now.index.tree) return []
  if (repository.user !== null && existsSync(join(repository.user.gitDir, "index.lock")))
    throw new HiveError({
      code: "locked",
      what: "Nothing was restored.",
      why: "Another git command is running in this repository: the file index.lock exists.",
      use_instead: "Try again when that command has ended, or restore without branches and staged content.",
      evidence: "index.lock",
    })
  const empty = new Map<string, FileChange>()
  const [was, left, is, committed] = await Promise.all([
    ...[before, after, now].map(({ index }) => filesOfTree(repository, index.tree, false)),
    before.head === null || head === before.head ? empty : filesOfTree(repository, before.head, false),
  ])
  if (was === undefined || left === undefined || is === undefined) return []
  const none = "0".repeat(before.index.tree.length)
  const unmerged = new Set([before, after, now].flatMap(({ index }) => index.unmerged))
  return [...new Set([...was.keys(), ...left.keys()])].flatMap((path) => {
    const [old, called, stands] = [was, left, is].map((entries) => entries.get(path)?.after ?? null)
    if (old === undefined || called === undefined || stands === undefined || unmerged.has(path)) return []
    if (isSameEntry(old, called) || !isSameEntry(stands, called)) return []
    if (head !== before.head && isSameEntry(old, committed?.get(path)?.after)) return []
    return [old === null ? `0 ${none}\t${path}` : `${old.mode} ${old.oid}\t${path}`]
  })
}

/** Copies objects that are missing in the user's repository. Objects of its present refs cannot be missing. */
async function bringObjects(
  repository: PrivateRepository,
  tips: readonly string[],
  blobs: readonly string[],
  present: readonly string[],
): Promise<void> {
  const input = lines([...tips, ...present.map((oid) => `^${oid}`)])
  const output = tips.length === 0 ? "" : await runPrivateGit(repository, REV_LIST, { input })
  const listed = output.toString("latin1").split("\n")
  const wanted = { input: lines([...listed.filter(Boolean), ...blobs]) }
  const checked = await runUserGit(repository, ["cat-file", "--batch-check=%(objectname)"], wanted)
  const missing = [...checked.toString("latin1").matchAll(/^([0-9a-f]+) missing$/gm)].map(
    ([, id]) => id ?? "",
  )
  if (missing.length === 0) return
  const pack = await runPrivateGit(repository, ["pack-objects", "--stdout", "-q"], { input: lines(missing) })
  await runUserGit(repository, ["unpack-objects", "-q"], { input: pack })
}

function lines(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("")
}

async function checkedOutElsewhere(repository: PrivateRepository): Promise<Set<string>> {
  if (repository.user === null || linkedWorktrees(repository.user.commonDir).length === 0) return new Set()
  const output = (await runUserGit(repository, ["worktree", "list", "--porcelain"])).toString("utf8")
  const found = output.split("\n\n").flatMap((block) => {
    const [, path] = /^worktree (.*)$/m.exec(block) ?? []
    const [, branch] = /^branch (.*)$/m.exec(block) ?? []
    return branch !== undefined && path !== repository.top ? [branch] : []
  })
  return new Set(found)
}

const NOT_RESTORED = /^refs\/(remotes\/|stash$|hivemind\/|bisect\/|rewritten\/|worktree\/)/
const REV_LIST = "rev-list --objects --no-object-names --ignore-missing --missing=allow-any --stdin".split(
  " ",
)
