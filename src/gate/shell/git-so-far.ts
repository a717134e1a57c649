import { posix } from "node:path"
import type { GitCall } from "./git.ts"
import { type NameChange, newBranch } from "./git-names.ts"
import { isPathLike } from "./git-writes.ts"
import { type Options, parseOptions } from "./options.ts"
import { contains, resolvePath } from "./paths.ts"

/**
 * How the git commands of a line leave a repository, taken that they go well. git is asked before the first of them runs,
 * so what the line has made or moved is kept by the name that its commit has before the line.
 */
export interface GitSoFar {
  readonly cwd: string
  /** The folder that git is asked in about a worktree which the line has made: that is not there yet. */
  readonly madeIn?: string
  /** The branch at hand: HEAD as long as the line has not left the one it found. */
  head: string
  /** The one before it, which git calls `-`. */
  previous: string
  /** Branches and refs that the line has made or moved, with their commits. */
  readonly tips: Map<string, string>
  /** Those that do not hold any more what they held before the line. */
  readonly gone: Set<string>
  /** The last commit is the line's own. */
  hasCommitted: boolean
  /** A commit that the branch went to while the text of the later ones stayed in the files or the index. */
  stepped: { readonly tip: string | undefined; readonly to: string; readonly mayBeFile: boolean } | null
  /** The same, in a stash by now. */
  stowed: GitSoFar["stepped"]
  stashed: "nothing" | "tracked" | "all"
}

/** A folder in or around one that was used before is taken for the same repository. */
export function gitSoFar(call: GitCall): GitSoFar {
  const { run } = call
  const { cwd } = call.frame
  if (isApart(call)) return untouched(cwd)
  const found =
    run.git.findLast((one) => one.madeIn !== undefined && contains(one.cwd, cwd)) ??
    run.git.find((one) => one.madeIn === undefined && (contains(one.cwd, cwd) || contains(cwd, one.cwd)))
  if (found !== undefined) return found
  const made = untouched(cwd)
  if (run.git.length < MAX_REPOSITORIES) run.git.push(made)
  return made
}

/** Where git is asked about the commits that a call leaves. */
export function askedIn(call: GitCall): string {
  return gitSoFar(call).madeIn ?? call.frame.cwd
}

/** With a repository named apart from the folder, it is not the folder's. */
export function isApart({ frame, isElsewhere }: GitCall): boolean {
  return isElsewhere || ["GIT_DIR", "GIT_WORK_TREE"].some((name) => frame.vars.has(name))
}

/** What a branch, a tag or a commit is called before the line. */
export function knownAs(name: string, call: GitCall): string {
  const [, base = "", steps = ""] = /^(@?[^~^@]*(?:@\{.*\})?)(.*)$/s.exec(name) ?? []
  const { tips } = gitSoFar(call)
  const meant = branchMeant(base, call)
  return (tips.get(meant) ?? tips.get(`refs/tags/${meant}`) ?? meant) + steps
}

/** The branch that `HEAD` or `-` is by now. */
export function branchMeant(name: string, call: GitCall): string {
  const { head, previous } = gitSoFar(call)
  if (name === "HEAD" || name === "@") return head
  return name === "-" || name === "@{-1}" ? previous : name.replace(/^refs\/heads\//, "")
}

/** A name is made, moved or deleted. */
export function changeName({ name, to, isForced }: NameChange, call: GitCall): void {
  const { tips, gone } = gitSoFar(call)
  const meant = branchMeant(name, call)
  const commit = typeof to === "string" ? knownAs(to, call) : undefined
  if (isForced || to === null) gone.add(meant)
  if (commit === undefined) tips.delete(meant)
  else tips.set(meant, commit)
}

/** What else the next git command finds: another branch, a commit or a stash of the line's own. */
export function remember(options: Options, call: GitCall): void {
  const { verb, args } = call
  const soFar = gitSoFar(call)
  const isPick = verb === "cherry-pick" || verb === "revert"
  if (verb === "commit" && !options.has("--amend")) soFar.hasCommitted = true
  if (isPick && !options.has("-n", "--no-commit", "--abort", "--quit", "--skip")) soFar.hasCommitted = true
  if (verb === "commit") soFar.stepped = null
  if (verb === "stash" && /^(pop|apply|branch)$/.test(args[0] ?? "")) soFar.stepped ??= soFar.stowed
  if (verb === "stash" && !/^(drop|clear|list|show|pop|apply|branch)$/.test(args[0] ?? "")) {
    soFar.stashed = parseOptions(args).has("-u", "--include-untracked", "-a", "--all") ? "all" : "tracked"
    soFar.stowed = soFar.stepped ?? soFar.stowed
    soFar.stepped = null
  }
  if (verb === "worktree") noteWorktree(options, call)
  const next = branchAfter(options, call)
  if (next === undefined) return
  // A new branch begins with the commit at hand, unless another is named.
  if (options.operands.length > 0) soFar.hasCommitted = false
  if (next === DETACHED) soFar.tips.set(DETACHED, knownAs(options.operands[0] ?? "HEAD", call))
  soFar.previous = soFar.head
  soFar.head = next
}

/** A worktree has a branch of its own at hand; all branches are those of the repository. */
function noteWorktree(options: Options, call: GitCall): void {
  const [verb, folder, start] = options.operands
  const [made] = options.values("-b", "-B")
  const isDetached = options.has("-d", "--detach") || (made === undefined && COMMIT.test(start ?? ""))
  if (verb !== "add" || folder === undefined || isDetached || isApart(call)) return
  if (call.run.git.length >= MAX_REPOSITORIES) return
  const cwd = resolvePath(folder, call.frame, call.run)
  const head = made ?? branchMeant(start ?? posix.basename(cwd), call)
  const { tips, gone } = gitSoFar(call)
  call.run.git.push({ ...untouched(cwd), madeIn: askedIn(call), head, tips, gone })
}

function branchAfter(options: Options, call: GitCall): string | undefined {
  const { verb, args } = call
  if (verb !== "checkout" && verb !== "switch") return undefined
  const made = newBranch(options) ?? options.values("--orphan")[0]
  if (made !== undefined) return made
  // Files are put back, and the branch stays.
  if (args.includes("--") && args.at(-1) !== "--") return undefined
  const [name, ...others] = options.operands
  if (others.length > 0 || (verb === "checkout" && isPathLike(name))) return undefined
  if (options.has("-d", "--detach") || (name !== undefined && COMMIT.test(name))) return DETACHED
  return name === undefined ? undefined : branchMeant(name, call)
}

function untouched(cwd: string): GitSoFar {
  return {
    cwd,
    head: "HEAD",
    previous: "@{-1}",
    tips: new Map(),
    gone: new Set(),
    hasCommitted: false,
    stepped: null,
    stowed: null,
    stashed: "nothing",
  }
}

/** At a commit, and no branch; git has no such name. */
const DETACHED = "no branch"
const COMMIT = /[~^]|^[0-9a-f]{7,40}$/
/** A line that works in more is nothing that somebody types. */
const MAX_REPOSITORIES = 50
