import { judgeRemoval } from "./deletes.ts"
import type { GitCall } from "./git.ts"
import type { Question } from "./judgement.ts"
import { type Options, parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"

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
  push: (options) => {
    if (options.has("-n", "--dry-run")) return undefined
    // With a lease, too: it only checks that nobody pushed since the last fetch, and still replaces commits.
    if (options.has("-f", "--force", "--mirror") || options.has("--force-with-lease"))
      return "overwrites the remote branch (force push)"
    const refs = options.operands.slice(1)
    if (refs.some((ref) => ref.startsWith("+"))) return "overwrites the remote branch (force push)"
    if (options.has("-d", "--delete", "--prune") || refs.some((ref) => /^:./.test(ref)))
      return "deletes a remote branch"
    return undefined
  },
  reset: (options, call) => (options.has("--hard", "--merge") ? tree(call) : undefined),
  checkout: (options, call) => {
    if (options.has("-f", "--force")) return tree(call)
    if (options.has("-B")) return branch(options.values("-B")[0], call)
    if (options.has("-b", "--orphan")) return undefined
    const dashes = call.args.indexOf("--")
    return restored(dashes === -1 ? options.operands : call.args.slice(dashes + 1), dashes !== -1, call)
  },
  switch: (options, call) => {
    if (options.has("-f", "--force", "--discard-changes")) return tree(call)
    return options.has("-C", "--force-create")
      ? branch(options.values("-C", "--force-create")[0], call)
      : undefined
  },
  restore: (options, call) => {
    const onlyIndex = options.has("-S", "--staged") && !options.has("-W", "--worktree")
    return onlyIndex ? undefined : restored(options.operands, true, call)
  },
  "checkout-index": (options, call) =>
    options.has("-f", "--force") && options.has("-a", "--all") ? tree(call) : undefined,
  "read-tree": (options, call) => (options.has("--reset") && options.has("-u") ? tree(call) : undefined),
  clean: (options, { args, frame }) =>
    options.has("-f", "--force") ? { ask: "clean", cwd: frame.cwd, args } : undefined,
  stash: (_, { args, frame, run }) =>
    /^(drop|clear)$/.test(args[0] ?? "")
      ? { ask: "stash", cwd: frame.cwd, isFresh: run.git.hasStashed }
      : undefined,
  branch: (options, call) => {
    const isDelete = options.has("-D") || (options.has("-d", "--delete") && options.has("-f", "--force"))
    if (!isDelete) return options.has("-f", "--force") ? branch(options.operands[0], call) : undefined
    for (const name of options.operands.slice(1)) call.run.loses(branch(name, call))
    return branch(options.operands[0], call)
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
  "update-ref": (options) => (options.has("-d", "--stdin") ? "deletes a branch or tag" : undefined),
  worktree: (options, { args, frame, run }) =>
    args[0] === "remove" && options.has("-f", "--force")
      ? { ask: "worktree", path: resolvePath(options.operands[1] ?? ".", frame, run) }
      : undefined,
  submodule: (options, call) =>
    call.args[0] === "deinit" && options.has("-f", "--force") ? tree(call) : undefined,
  rm: (options, { frame, run }) => {
    // Without -f git itself refuses where something would be lost.
    if (options.has("--cached", "-n", "--dry-run") || !options.has("-f", "--force")) return undefined
    for (const path of options.operands) judgeRemoval(path, frame, run, options.has("-r"))
    return undefined
  },
}

function tree({ frame }: GitCall): Question {
  return { ask: "tree", cwd: frame.cwd }
}

function branch(name: string | undefined, { frame }: GitCall): Question {
  return { ask: "branch", cwd: frame.cwd, name: name ?? "HEAD" }
}

function restored(words: readonly string[], isPaths: boolean, { frame }: GitCall): Question | undefined {
  return words.length === 0 ? undefined : { ask: "restored", cwd: frame.cwd, words, isPaths }
}

/** A later git command of the same text finds another branch, a commit of its own, a stash of its own. */
function remember(options: Options, { verb, args, run }: GitCall): void {
  if (verb === "commit" && !options.has("--amend")) run.git.hasCommitted = true
  if (verb === "stash" && !/^(drop|clear|list|show|pop|apply|branch)$/.test(args[0] ?? ""))
    run.git.hasStashed = true
  const isChange = verb === "checkout" || verb === "switch"
  const [name] = options.operands
  if (!isChange || args.includes("--") || options.operands.length !== 1 || name === undefined) return
  run.git.branch = name
  run.git.hasCommitted = false
}

const REWRITTEN = "rewrites commits that may have been published"
const LOST_ELSEWHERE = "throws changes away on another machine"
const VALUED = new Map([
  ["push", setOf("-o --push-option --repo --receive-pack --exec")],
  ["commit", setOf("-m --message -F --file -C -c --author --date --fixup --squash -t --template --trailer")],
  ["checkout", setOf("-b -B --orphan")],
  ["switch", setOf("-c -C --create --force-create --orphan")],
  ["restore", setOf("-s --source")],
  ["branch", setOf("-u --set-upstream-to")],
  ["clean", setOf("-e --exclude")],
  ["rebase", setOf("--onto -s --strategy -X --strategy-option -x --exec -C --whitespace --empty")],
])
