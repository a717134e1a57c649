import type { GitCall } from "./git.ts"
import type { NameChange } from "./git-names.ts"
import { branchMeant, gitSoFar, isApart, knownAs } from "./git-so-far.ts"
import { type Options, parseOptions, setOf } from "./options.ts"
import { contains, resolvePath } from "./paths.ts"
import type { Run } from "./program.ts"

/** What git commands of the same line have put away for sure, in the folder they ran in. */
export interface GitDone {
  readonly cwd: string
  /** Staged, for the commit that may follow. */
  readonly added: Saved
  /** In a stash or a commit. */
  readonly saved: Saved
  /** The branch that some of it is committed on: moving that would leave it behind. */
  readonly committedOn: string | null
  /** How many commits were made on it. */
  readonly commits: number
  /** Commits that something else holds now: merged, pushed, or under another name. */
  readonly kept: readonly Kept[]
  /** Merged as one commit that is still to be made. */
  readonly squashed: readonly string[]
}

interface Kept {
  /** As it is called before the line. */
  readonly commit: string
  /** The branch or ref that holds it, null for a remote's. */
  readonly by: string | null
}

interface Saved {
  /** Changes of all files that git knows. */
  readonly tracked: boolean
  /** All that is in these, absolute. */
  readonly paths: readonly string[]
}

/** What has been put away so far where this git command runs. */
export function gitDone({ frame, run }: Pick<GitCall, "frame" | "run">): GitDone {
  const { git } = run.done.now
  return git?.cwd === frame.cwd ? git : { ...NOTHING, cwd: frame.cwd }
}

/** Commits that are held somewhere by now: those that this name holds, and those that stay when it goes. */
export function keptApart({ name, to }: NameChange, call: GitCall): { byIt: string[]; others: string[] } {
  const byIt: string[] = []
  const others: string[] = []
  for (const { commit, by } of gitDone(call).kept) (mayHold(by, name, to, call) ? byIt : others).push(commit)
  return { byIt, others }
}

/** Has an earlier step put this path away? `tracked`: as far as git knows it. */
export function isSaved(path: string, run: Run): boolean | "tracked" {
  const saved = run.done.now.git?.saved
  if (saved === undefined || run.done.now.git?.cwd === undefined) return false
  if (saved.paths.some((folder) => contains(folder, path))) return true
  return saved.tracked && contains(run.done.now.git.cwd, path) ? "tracked" : false
}

/** The files whose changes `git diff f > p` keeps: with nothing but their names, all of it is in there. */
export function diffedIn(step: string): string[] {
  const [, words = ""] = /^git diff (?:--binary )?(?:-- )?([\w./ @+-]+?) ?> ?\S+$/.exec(step) ?? []
  const files = words.split(" ")
  return files.every((file) => /^[\w.@+][\w./@+-]*\.[a-z]\w*$/i.test(file)) ? files : []
}

export function noteGit(options: Options, call: GitCall): void {
  if (isApart(call)) return
  const before = gitDone(call)
  const after = NOTES[call.verb]?.(before, options, call)
  if (after !== undefined) call.run.done.now = { ...call.run.done.now, git: after }
}

/** A new name holds a commit; one that goes, or that goes to another commit, may have held what was kept. */
export function noteName({ name, to, isForced }: NameChange, call: GitCall): void {
  if (isApart(call)) return
  const before = gitDone(call)
  const isLost = isForced || to === null
  const kept = before.kept.filter(({ by }) => !isLost || !mayHold(by, name, to, call))
  if (typeof to === "string") kept.push({ commit: knownAs(to, call), by: branchMeant(name, call) })
  const isWorkLost = to === null && before.committedOn !== null
  const git = { ...before, ...(isWorkLost && NOTHING), kept: kept.slice(0, MAX_KEPT) }
  call.run.done.now = { ...call.run.done.now, git }
}

function mayHold(by: string | null, name: string, to: NameChange["to"], call: GitCall): boolean {
  const { head } = gitSoFar(call)
  const meant = branchMeant(name, call)
  if (by === null || by === meant) return by !== null
  if (meant.includes("*")) return by !== head
  // Nobody knows what it is called; but the branch at hand cannot be deleted.
  return by === "HEAD" && (to !== null || head !== "HEAD")
}

type Note = (before: GitDone, options: Options, call: GitCall) => GitDone | undefined

const NOTES: Record<string, Note | undefined> = {
  add: (before, options, { frame, run }) => {
    if (options.has("-n", "--dry-run", "-N", "-p", "--patch", "-i", "-e")) return undefined
    const { added } = before
    const paths = options.operands.map((path) => resolvePath(path, frame, run))
    if (paths.length > 0) return { ...before, added: { ...added, paths: [...added.paths, ...paths] } }
    if (options.has("-A", "--all")) return { ...before, added: everything(before) }
    return options.has("-u", "--update") ? { ...before, added: { ...added, tracked: true } } : undefined
  },
  commit: (before, _, call) => {
    const options = parseOptions(call.args, COMMIT_VALUED)
    if (options.has("--dry-run", "-p", "--patch")) return undefined
    const named = options.operands.map((path) => resolvePath(path, call.frame, call.run))
    const { added, saved, kept, squashed } = before
    const { head } = gitSoFar(call)
    return {
      ...before,
      saved: {
        tracked: saved.tracked || (named.length === 0 && (added.tracked || options.has("-a", "--all"))),
        paths: [...saved.paths, ...(named.length > 0 ? named : added.paths)],
      },
      committedOn: head,
      commits: before.commits + (options.has("--amend") ? 0 : 1),
      kept: [...kept, ...squashed.map((name) => ({ commit: knownAs(name, call), by: head }))],
      squashed: [],
    }
  },
  stash: (before, _, { args }) => {
    const [verb = "push", ...rest] = args[0]?.startsWith("-") ? ["push", ...args] : args
    if (/^(pop|drop|clear)$/.test(verb)) return { ...NOTHING, cwd: before.cwd }
    const options = parseOptions(rest, setOf("-m --message"))
    const isAll = verb === "save" || options.operands.length === 0
    if (!/^(push|save)$/.test(verb) || !isAll || options.has("-p", "--patch", "-S", "--staged"))
      return undefined
    const isWhole = options.has("-u", "--include-untracked", "-a", "--all")
    return { ...before, saved: isWhole ? everything(before) : { ...before.saved, tracked: true } }
  },
  merge: (before, options, call) => {
    if (options.has("--no-commit", "--abort", "--continue", "--quit")) return undefined
    return options.has("--squash")
      ? { ...before, squashed: options.operands }
      : withHeld(before, options.operands, gitSoFar(call).head, call)
  },
  push: (before, options, call) => {
    if (options.has("-n", "--dry-run", "-d", "--delete")) return undefined
    const refs = options.operands.slice(1).map((ref) => ref.replace(/^\+|:.*$/g, ""))
    if (refs.length === 0 && options.has("--tags")) return undefined
    return withHeld(before, refs.length > 0 ? refs.filter((ref) => ref !== "") : ["HEAD"], null, call)
  },
  reset: (before, options, call) => {
    if (staysAtHead(options)) return undefined
    const { head } = gitSoFar(call)
    // Other names hold what they held.
    const kept = before.kept.filter(({ by }) => by !== head && by !== "HEAD")
    return { ...NOTHING, cwd: before.cwd, kept }
  },
}

function withHeld(before: GitDone, names: readonly string[], by: string | null, call: GitCall): GitDone {
  const isCommitHeld = names.some((name) => branchMeant(name, call) === before.committedOn)
  return {
    ...before,
    ...(isCommitHeld && { committedOn: null }),
    kept: [...before.kept, ...names.map((name) => ({ commit: knownAs(name, call), by }))].slice(0, MAX_KEPT),
  }
}

/** `git reset [--hard] [HEAD]`: no commit is left behind. */
export function staysAtHead(options: Options): boolean {
  return options.operands.every((word) => word === "HEAD" || word === "@")
}

/** Where `HEAD~2` leads once this command has made some commits, as it is called before: git is asked by then. */
export function seenFromNow(name: string, { commits }: GitDone): string {
  const [, head, steps = "", count = "", carets = ""] = /^(HEAD|@)(~(\d*)|(\^+))?$/.exec(name) ?? []
  if (head === undefined || commits === 0) return name
  const back = steps === "" ? 0 : carets === "" ? Number(count || 1) : carets.length
  return back <= commits ? "HEAD" : `HEAD~${back - commits}`
}

/** Above its folder it may be another repository. */
function everything({ cwd }: GitDone): Saved {
  return { tracked: true, paths: [cwd] }
}

/** Each is asked about with each branch that goes; nobody types more. */
const MAX_KEPT = 50
const NONE: Saved = { tracked: false, paths: [] }
const NOTHING: Omit<GitDone, "cwd"> = {
  added: NONE,
  saved: NONE,
  committedOn: null,
  commits: 0,
  kept: [],
  squashed: [],
}
const COMMIT_VALUED = setOf(
  "-m --message -F --file -C -c --author --date --fixup --squash -t --template --trailer",
)
