import type { Question } from "../shell/judgement.ts"
import { askGit } from "./ask-git.ts"
import type { Answer } from "./what-is-lost.ts"

/** Commits that a remote has are other people's too; those that nobody has fetched or pushed may be made anew. */
export async function publishedLoss({
  cwd,
  tip,
  upstream,
}: Extract<Question, { ask: "published" }>): Promise<Answer> {
  const head = (await commitOf(cwd, tip)) ?? (await commitOf(cwd, "HEAD"))
  if (head === undefined) return undefined
  const isPushed =
    upstream === "last" ? await isOnRemote(cwd, head) : await hasPushed(cwd, head, upstream, tip)
  return isPushed ? { what: "rewrites commits that have been published" } : undefined
}

/** Deleted or moved, a branch leaves its commits behind: are they in another branch or tag? A pattern may be any of them. */
export async function branchLoss(question: Extract<Question, { ask: "branch" }>): Promise<Answer> {
  const { cwd, name } = question
  if (!name.includes("*")) return oneBranchLoss(question)
  const [, folder = "", pattern = ""] = /^(refs\/\w+\/)(.*)$/.exec(await refOf(cwd, name)) ?? []
  const meant = new RegExp(`^${folder}${pattern.split("*").map(escaped).join(".*")}$`)
  const listed = (await askGit(cwd, ["for-each-ref", "--format=%(refname)", folder])) ?? ""
  // The branch that is checked out cannot be deleted.
  const current = await refOf(cwd, "HEAD")
  const refs = listed.split("\n").filter((ref) => meant.test(ref) && ref !== current)
  if (refs.length > MAX_BRANCHES) return { what: "deletes more branches than can be looked at" }
  for (const ref of refs) {
    const lost = await oneBranchLoss({ ...question, name: ref })
    if (lost !== undefined) return lost
  }
  return undefined
}

async function oneBranchLoss({
  cwd,
  name,
  tip: made,
  kept,
  gone,
}: Extract<Question, { ask: "branch" }>): Promise<Answer> {
  const ref = await refOf(cwd, name)
  const tip = await commitOf(cwd, made ?? ref)
  const [, remote, branch] = /^refs\/remotes\/([^/]+)\/(.+)$/.exec(ref) ?? []
  if (tip === undefined) return remote === undefined ? undefined : { what: "deletes a remote branch" }
  for (const one of await stillThere(kept, gone, cwd))
    if ((await askGit(cwd, ["merge-base", "--is-ancestor", tip, one])) !== undefined) return undefined
  const left = ["", ref]
  // The branch here from which it was pushed is no sign that anybody has merged it.
  if (remote !== undefined) left.push(`refs/heads/${branch}`, `refs/remotes/${remote}/HEAD`)
  for (const one of gone) left.push(await refOf(cwd, one))
  const holders = await askGit(cwd, [
    ...["for-each-ref", "--contains", tip, "--format=%(refname)", `--count=${left.length}`],
    ...["refs/heads", "refs/tags", "refs/remotes"],
  ])
  const others = (holders ?? "").split("\n").filter((each) => !left.includes(each))
  return others.length > 0
    ? undefined
    : { what: `leaves the commits of ${ref.replace(/^refs\/(heads|tags|remotes)\//, "")} in no other branch` }
}

/**
 * Commits that a branch steps back from stay in git's reflog, so a session may take its own back. Those that were there
 * before it began are asked about, where no other branch or tag has them: who made them may not think of the reflog. A
 * merge brings no text of its own.
 */
export async function resetLoss(
  { cwd, branch, tip, to, kept, gone, mayBeFile, path }: Extract<Question, { ask: "reset" }>,
  began: number,
): Promise<Answer> {
  // A name that is no branch yet, or a file's, leads nowhere else.
  const ref = await refOf(cwd, branch)
  const there = await commitOf(cwd, tip ?? ref)
  const head = there ?? (await commitOf(cwd, "HEAD"))
  // In another worktree HEAD is not the one here.
  if (head === undefined || (there === undefined && branch.startsWith("refs/heads/"))) return undefined
  const own = there === undefined ? await refOf(cwd, "HEAD") : ref
  const others: string[] = []
  for (const name of await stillThere([...kept, to.replace(/^@(?=[~^]|$)/, tip ?? own)], gone, cwd)) {
    const commit = await commitOf(cwd, name)
    if (commit !== undefined) others.push(commit)
    else if (mayBeFile && name === to) return undefined
  }
  // The next `git stash pop` takes a stash away, and what only that has held.
  const elsewhere = [`--exclude=${own}`, "--exclude=refs/stash"]
  for (const one of gone) elsewhere.push(`--exclude=${await refOf(cwd, one)}`)
  elsewhere.push("--glob=refs/*")
  const within = path === undefined ? [] : ["--", path]
  const left = await commitsIn(cwd, ["--no-merges", head, "--not", ...others, ...elsewhere, ...within])
  // The clock of git ticks in seconds.
  const since = Number.isFinite(began) ? Math.floor(began / 1000) : Number.POSITIVE_INFINITY
  const old = left.filter(({ authored, committed }) => Math.min(authored, committed) < since)
  if (old.length === 0) return undefined
  // An amend, a rebase and a cherry-pick make old text anew: what they were made from may be held, or be gone back to.
  const isAnew = old.every(({ committed }) => committed >= since)
  if (isAnew) {
    const held = new Set((await commitsIn(cwd, [...others, ...elsewhere])).flatMap(({ marks }) => marks))
    // What no name has but the one that is gone to was left by a command: an amend may have changed text and words.
    for (const { besides } of await commitsIn(cwd, [...others, "--not", "--glob=refs/*"])) held.add(besides)
    if (old.every(({ marks, besides }) => [...marks, besides].some((mark) => held.has(mark))))
      return undefined
  }
  return { what: "leaves commits of before this session in no branch" }
}

/** Without the branch at hand by its own name, where the line has moved it: git still knows where it was before. */
async function stillThere(
  names: readonly string[],
  gone: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  if (!gone.includes("HEAD")) return names
  const head = await refOf(cwd, "HEAD")
  const isMoved = (name: string) => `refs/heads/${name.replace(/[~^].*$/, "")}` === head
  return names.filter((name) => !isMoved(name))
}

interface Commit {
  readonly authored: number
  readonly committed: number
  /** The author's second, which scripts give to many commits, with what an amend or a rebase leaves as it is. */
  readonly marks: readonly string[]
  /** Another one, that commits beside each other have too. */
  readonly besides: string
}

async function commitsIn(cwd: string, range: readonly string[]): Promise<Commit[]> {
  const options = [`--max-count=${MAX_COMMITS}`, "--format=%at%x09%ct%x09%T%x09%P%x09%s"]
  const printed = await askGit(cwd, ["rev-list", ...options, ...range])
  if (printed === undefined) throw new Error("git does not know these commits")
  return printed
    .split("\n")
    .filter((line) => line.includes("\t"))
    .map((line) => {
      const [at = "", committed, tree, parents, ...subject] = line.split("\t")
      const marks = [`${at} tree ${tree}`, `${at} subject ${subject.join(" ")}`]
      return { authored: Number(at), committed: Number(committed), marks, besides: `${at} after ${parents}` }
    })
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w/]/g, "\\$&")
}

/** HEAD is the branch that is checked out, unless it is at none. */
async function refOf(cwd: string, name: string): Promise<string> {
  if (name === "@{-1}")
    return (await askGit(cwd, ["rev-parse", "--symbolic-full-name", name]))?.trim() ?? name
  if (name !== "HEAD") return name.startsWith("refs/") ? name : `refs/heads/${name}`
  return (await askGit(cwd, ["symbolic-ref", "--quiet", "HEAD"]))?.trim() ?? name
}

export async function stashLoss(cwd: string): Promise<Answer> {
  const stash = await askGit(cwd, ["rev-parse", "--quiet", "--verify", "refs/stash"])
  return stash === undefined ? undefined : { what: "throws stashed changes away" }
}

async function isOnRemote(cwd: string, commit: string): Promise<boolean> {
  const refs = await askGit(cwd, ["for-each-ref", "--contains", commit, "--count=1", "refs/remotes"])
  return refs !== undefined && refs !== ""
}

/** Of the commits that are made anew, has a remote any? */
async function hasPushed(cwd: string, head: string, upstream: string, tip: string): Promise<boolean> {
  const named = upstream === "tracked" ? `${tip === "HEAD" ? "" : tip}@{upstream}` : upstream
  const base = upstream === "all" ? null : await commitOf(cwd, named)
  if (base === undefined) return upstream !== "tracked" && (await isOnRemote(cwd, head))
  const range = [head, ...(base === null ? [] : [`^${base}`])]
  const all = await askGit(cwd, ["rev-list", "--count", ...range])
  const unpushed = await askGit(cwd, ["rev-list", "--count", ...range, "--not", "--remotes"])
  return all !== unpushed
}

async function commitOf(cwd: string, name: string): Promise<string | undefined> {
  const printed = await askGit(cwd, [
    "rev-parse",
    "--quiet",
    "--verify",
    "--end-of-options",
    `${name}^{commit}`,
  ])
  return printed?.trim()
}

const MAX_BRANCHES = 50
const MAX_COMMITS = 2000
