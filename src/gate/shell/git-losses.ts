import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { keptIn, noteCopy } from "./done-so-far.ts"
import { takesDiffBack } from "./file-writes.ts"
import type { GitCall } from "./git.ts"
import { gitDone, headOf, isSaved, noteGit, seenFromNow, staysAtHead } from "./git-done.ts"
import { isPathLike } from "./git-writes.ts"
import type { Question } from "./judgement.ts"
import { listedIn } from "./listed-files.ts"
import { loseMoved } from "./moved.ts"
import { type Options, parseOptions, setOf } from "./options.ts"
import { contains, resolvePath } from "./paths.ts"
import { judgeReplacement } from "./replaces.ts"
import { isKnown } from "./unknown-text.ts"

/**
 * What of git's work may not be taken back: commits that others have (pushed by force, rewritten), and changes that are
 * in no commit. A rule returns what is reported at once, or what git is to be asked.
 */
export function gitLosses(call: GitCall): void {
  const options = parseOptions(call.args, VALUED.get(call.verb))
  const found = RULES[call.verb]?.(options, call)
  if (typeof found === "string") call.run.destroys(found)
  // On another machine there is nobody to ask.
  else if (found !== undefined && call.frame.elsewhere) call.run.destroys(LOST_ELSEWHERE)
  else if (found !== undefined) call.run.loses(found)
  remember(options, call)
}

type Rule = (options: Options, call: GitCall) => string | Question | undefined

const RULES: Record<string, Rule | undefined> = {
  push: (options, { settings }) => {
    if (options.has("-n", "--dry-run")) return undefined
    if (settings.some((one) => FORCED.test(one))) return "overwrites the remote branch (force push)"
    // With a lease, too: it only checks that nobody pushed since the last fetch, and still replaces commits.
    if (options.has("-f", "--force", "--mirror") || options.has("--force-with-lease"))
      return "overwrites the remote branch (force push)"
    const refs = options.operands.slice(1)
    if (refs.some((ref) => ref.startsWith("+"))) return "overwrites the remote branch (force push)"
    if (options.has("-d", "--delete", "--prune") || refs.some((ref) => /^:./.test(ref)))
      return "deletes a remote branch"
    return undefined
  },
  "send-pack": (options) =>
    options.has("-f", "--force", "--mirror") || options.operands.slice(1).some((ref) => ref.startsWith("+"))
      ? "overwrites the remote branch (force push)"
      : undefined,
  reset: (options, call) => {
    // Commits of the branch that nothing else holds are left behind; without these options their text stays.
    if (!staysAtHead(options) && options.has("--hard", "--merge", "--keep")) {
      const done = gitDone(call)
      const kept = [...done.kept, ...options.operands.slice(0, 1).map((name) => seenFromNow(name, done))]
      call.run.loses({ ask: "reset", cwd: call.frame.cwd, kept })
    }
    if (!options.has("--hard", "--merge")) return undefined
    loseMoved(`${call.frame.cwd}/**`, call.run)
    return tree(call)
  },
  checkout: (options, call) => {
    if (options.has("-f", "--force")) return tree(call)
    if (options.has("-B")) return branch(options.values("-B")[0], call, options.operands[0])
    if (options.has("-b", "--orphan")) return undefined
    if (options.has(FROM_FILE)) return tree(call)
    const dashes = call.args.indexOf("--")
    return restored(dashes === -1 ? options.operands : call.args.slice(dashes + 1), dashes !== -1, call)
  },
  switch: (options, call) => {
    if (options.has("-f", "--force", "--discard-changes")) return tree(call)
    return options.has("-C", "--force-create")
      ? branch(options.values("-C", "--force-create")[0], call, options.operands[0])
      : undefined
  },
  restore: (options, call) => {
    const onlyIndex = options.has("-S", "--staged") && !options.has("-W", "--worktree")
    if (onlyIndex) return undefined
    return options.has(FROM_FILE) ? tree(call) : restored(options.operands, true, call)
  },
  "checkout-index": (options, call) => {
    if (!options.has("-f", "--force")) return undefined
    return options.has("-a", "--all", "--stdin") ? tree(call) : restored(options.operands, true, call)
  },
  // What the work tree has beyond the last commit, taken back: only the patch in the pipe had it.
  apply: (options, call) => {
    const { frame, run } = call
    // What a patch has kept is in its file again.
    for (const word of options.operands) {
      const patch = resolvePath(word, frame, run)
      const file = run.moves.get(patch)
      if (file !== undefined && options.operands.length === call.args.length) noteCopy(run.done, patch, file)
    }
    const isBack = options.has("-R", "--reverse") && options.operands.length === 0
    return isBack && takesDiffBack(frame) ? tree(call) : undefined
  },
  fetch: (options, call) => {
    const [remote = "", ...refs] = options.operands
    for (const ref of refs) {
      const [from = "", to = ""] = ref.replace(/^\+/, "").split(":")
      const isForced = ref.startsWith("+") || options.has("-f", "--force")
      if (isForced && to !== "" && !to.startsWith("refs/remotes/"))
        call.run.loses(branch(to.replace(/^refs\/heads\//, ""), call, remote === "." ? from : null))
    }
    return undefined
  },
  "read-tree": (options, call) => (options.has("--reset") && options.has("-u") ? tree(call) : undefined),
  clean: (options, { args, frame, run, settings }) => {
    const isForced = options.has("-f", "--force") || settings.some((one) => NOT_FORCED.test(one))
    if (!isForced) return undefined
    loseMoved(`${frame.cwd}/**`, run)
    const isPutAway = isSaved(frame.cwd, run) === true
    return { ask: "clean", cwd: frame.cwd, args, ...(isPutAway && { isSaved: true as const }) }
  },
  stash: (_, { args, frame, run }) => {
    const { cwd, elsewhere } = frame
    if (/^(drop|clear)$/.test(args[0] ?? "")) return { ask: "stash", cwd, fresh: run.git.stashed }
    const options = parseOptions(args, setOf("-m --message"))
    if (!options.has("-u", "--include-untracked") || elsewhere || !isKnown(cwd)) return undefined
    const paths = options.operands.filter((word, at) => at > 0 || !/^(push|save)$/.test(word))
    const isAll = paths.length === 0 || args[0] === "save"
    return { ask: "put away", cwd, paths: isAll ? [`${run.hive}/${HIVE_FOLDER}`] : paths }
  },
  branch: (options, call) => {
    const isForced = options.has("-f", "--force")
    // To another name, over a branch that has it already.
    if (options.has("-M", "-C") || (isForced && options.has("-m", "--move", "-c", "--copy"))) {
      const [from, to] = options.operands.length > 1 ? options.operands : ["HEAD", options.operands[0]]
      return branch(to, call, from)
    }
    if (!options.has("-D") && !(options.has("-d", "--delete") && isForced))
      return isForced ? branch(options.operands[0], call, options.operands[1]) : undefined
    // What was committed just before may be on it.
    const { committedOn } = gitDone(call)
    if (committedOn !== null && (options.operands.includes(committedOn) || committedOn !== headOf(call)))
      call.run.loses(wholeTree(call))
    for (const name of options.operands) call.run.loses(branch(anyOf(name), call, null))
    loseNamed(options.operands, call)
    return undefined
  },
  tag: (options, call) => {
    if (!options.has("-d", "--delete", "-f", "--force")) return undefined
    for (const name of options.operands.slice(0, options.has("-d", "--delete") ? undefined : 1))
      call.run.loses(branch(`refs/tags/${anyOf(name)}`, call, null))
    loseNamed(options.operands, call)
    return undefined
  },
  rebase: (options, { args, frame, run }) => {
    if (args.some((arg) => /^--(continue|abort|skip|quit|edit-todo|show-current-patch)$/.test(arg)))
      return undefined
    const [upstream = "tracked", tip = run.git.branch ?? "HEAD"] = options.operands
    return { ask: "published", cwd: frame.cwd, tip, upstream: options.has("--root") ? "all" : upstream }
  },
  commit: (options, { frame, run }) => {
    // What this very command has committed before, nobody else can have.
    if (!options.has("--amend") || options.has("--dry-run") || run.git.hasCommitted) return undefined
    return { ask: "published", cwd: frame.cwd, tip: run.git.branch ?? "HEAD", upstream: "last" }
  },
  "filter-branch": () => REWRITTEN,
  "filter-repo": () => REWRITTEN,
  reflog: () => "forgets the commits that only the reflog still knows",
  gc: (_, { args }) =>
    args.some((arg) => /^--prune=(now|all)$/.test(arg)) ? "deletes commits that no branch holds" : undefined,
  prune: (options) => (options.has("-n", "--dry-run") ? undefined : "deletes commits that no branch holds"),
  "update-ref": (options, call) => {
    const [name, to] = options.operands
    if (options.has("--stdin")) return "may delete branches and tags"
    return branch(anyOf(name)?.replace(/^refs\/heads\//, ""), call, options.has("-d") ? null : (to ?? null))
  },
  worktree: (options, { args, frame, run }) =>
    args[0] === "remove" && options.has("-f", "--force")
      ? { ask: "worktree", path: resolvePath(options.operands[1] ?? ".", frame, run) }
      : undefined,
  submodule: (options, call) => {
    const { frame, run } = call
    if (options.operands[0] !== "deinit" || !options.has("-f", "--force")) return undefined
    if (options.has("--all")) return wholeTree(call)
    for (const path of options.operands.slice(1))
      run.loses({ ask: "worktree", path: resolvePath(path, frame, run) })
    return undefined
  },
  rm: (options, call) => {
    // Without -f git itself refuses where something would be lost.
    if (options.has("--cached", "-n", "--dry-run") || !options.has("-f", "--force")) return undefined
    if (options.has(FROM_FILE)) return tree(call)
    for (const word of options.operands) {
      const path = resolvePath(word, call.frame, call.run)
      if (contains(path, call.run.project)) return tree(call)
      if (isSaved(path, call.run) === false)
        call.run.loses({ ask: "removed", path, whole: true, isMade: false, only: "tracked" })
    }
    return undefined
  },
  mv: (options, { frame, run }) => {
    const [from, to] = options.operands
    if (options.has("-f", "--force") && from !== undefined && to !== undefined)
      judgeReplacement(to, frame, run, { from, into: from.split("/").at(-1) ?? "", replacesLinks: true })
    return undefined
  },
}

/** All that git knows; undefined where it has been put away before. */
function tree(call: GitCall): Question | undefined {
  const { tracked, paths } = gitDone(call).saved
  return tracked || paths.some((path) => contains(path, call.run.project))
    ? undefined
    : { ask: "tree", cwd: call.frame.cwd }
}

/** What git does not know too. */
function wholeTree({ frame }: GitCall): Question {
  return { ask: "worktree", path: frame.cwd }
}

/** A name that this command has given goes, and the branch that it was given for has gone before: then that is asked about. */
function loseNamed(names: readonly string[], { frame, run }: GitCall): void {
  for (const name of names) run.git.deleted.add(name)
  for (const name of names) {
    const start = run.git.names.get(name)
    if (start !== undefined && run.git.deleted.has(start))
      run.loses({ ask: "branch", cwd: frame.cwd, name: start })
  }
}

/** A name that is not known, as a pattern: git has no such sign in a name. */
function anyOf<Name extends string | undefined>(name: Name) {
  return name?.replaceAll(/[\uE000-\uE002]+/g, "*")
}

/** `to` is where it goes, HEAD where nothing is said; null where its commits are held by nothing of this command. */
function branch(name = "HEAD", call: GitCall, to: string | null = "HEAD"): Question {
  const kept = [...gitDone(call).kept, ...(to === null ? [] : [to])]
  return { ask: "branch", cwd: call.frame.cwd, name, ...(kept.length > 0 && { kept }) }
}

function restored(words: readonly string[], isPaths: boolean, call: GitCall): Question | undefined {
  const { frame, run } = call
  const paths = words.map((word) => resolvePath(word, frame, run))
  const isPutAway = (path: string) => {
    if (!contains(run.project, frame.cwd)) return false
    const copy = isSaved(path, run) ? undefined : keptIn(run.done, path, paths)
    // By then it is the only one.
    if (copy !== undefined) run.moves.set(copy, path)
    return copy !== undefined || isSaved(path, run)
  }
  for (const word of words) {
    const listed = listedIn(word, run)
    if (listed !== undefined) return listed
    // Words from a pipe that nobody can know; one alone is most often a branch.
    if (isPaths && !isKnown(word)) return tree(call)
  }
  if (!isPaths && words.length === 1 && !isKnown(frame.cwd + words[0]) && !isPathLike(words[0]))
    return undefined
  if (words.length === 0 || gitDone(call).saved.tracked || paths.every(isPutAway)) return undefined
  return { ask: "restored", cwd: frame.cwd, words, isPaths }
}

/** A later git command of the same text finds another branch, a commit of its own, a stash of its own. */
function remember(options: Options, call: GitCall): void {
  const { verb, args, run } = call
  noteGit(options, call)
  if (verb === "commit" && !options.has("--amend")) run.git.hasCommitted = true
  if (verb === "stash" && !/^(drop|clear|list|show|pop|apply|branch)$/.test(args[0] ?? ""))
    run.git.stashed = parseOptions(args).has("-u", "--include-untracked", "-a", "--all") ? "all" : "tracked"
  const isChange = verb === "checkout" || verb === "switch"
  const [name] = options.operands
  if (!isChange || args.includes("--") || options.operands.length !== 1 || name === undefined) return
  run.git.branch = name
  run.git.hasCommitted = false
}

const FROM_FILE = "--pathspec-from-file"
const FORCED = /^remote\..*\.(push=\+|mirror=(true|yes|on|1)?$)/i
const NOT_FORCED = /^clean\.requireforce=(false|no|off|0)$/i
const REWRITTEN = "rewrites commits that may have been published"
const LOST_ELSEWHERE = "throws changes away on another machine"
const VALUED = new Map([
  ["push", setOf("-o --push-option --repo --receive-pack --exec")],
  ["commit", setOf("-m --message -F --file -C -c --author --date --fixup --squash -t --template --trailer")],
  ["checkout", setOf(`-b -B --orphan --conflict ${FROM_FILE}`)],
  ["switch", setOf("-c -C --create --force-create --orphan")],
  ["restore", setOf(`-s --source ${FROM_FILE}`)],
  ["rm", setOf(FROM_FILE)],
  ["merge", setOf("-m -F -s -X --file --strategy --strategy-option")],
  ["fetch", setOf("-o -j --depth --upload-pack --refmap --negotiation-tip --shallow-since --jobs")],
  ["tag", setOf("-m -F -u --file --message --local-user --sort --format")],
  ["update-ref", setOf("-m")],
  ["add", setOf(`--chmod ${FROM_FILE}`)],
  ["branch", setOf("-u --set-upstream-to")],
  ["clean", setOf("-e --exclude")],
  ["rebase", setOf("--onto -s --strategy -X --strategy-option -x --exec -C --whitespace --empty")],
])
