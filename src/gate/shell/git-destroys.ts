import { judgeRemoval } from "./deletes.ts"
import type { GitCall } from "./git.ts"
import { type Options, parseOptions, setOf } from "./options.ts"
import { isRegenerable, resolvePath } from "./paths.ts"

/**
 * What of git's work cannot be taken back easily: commits that others may have (pushed by force, rewritten), and
 * changes that are in no commit. A rule returns what is reported, or undefined if the command is fine.
 */
export function gitDestroys(call: GitCall): void {
  const options = parseOptions(call.args, VALUED.get(call.verb))
  const what = RULES[call.verb]?.(options, call)
  if (what !== undefined) call.run.destroys(what)
}

type Rule = (options: Options, call: GitCall) => string | undefined

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
  reset: (options) => (options.has("--hard", "--merge") ? LOST : undefined),
  checkout: (options, { args }) => {
    const dashes = args.indexOf("--")
    // Without "--", a word may be a branch.
    const paths = dashes === -1 ? options.operands.filter((word) => !isFolder(word)) : args.slice(dashes + 1)
    if (options.has("-f", "--force") || takesAll(paths)) return LOST
    return options.has("-B") ? MOVED : undefined
  },
  switch: (options) => {
    if (options.has("-f", "--force", "--discard-changes")) return LOST
    return options.has("-C", "--force-create") ? MOVED : undefined
  },
  restore: (options) => {
    const onlyIndex = options.has("-S", "--staged") && !options.has("-W", "--worktree")
    return !onlyIndex && takesAll(options.operands) ? LOST : undefined
  },
  "checkout-index": (options) =>
    options.has("-f", "--force") && options.has("-a", "--all") ? LOST : undefined,
  "read-tree": (options) => (options.has("--reset") && options.has("-u") ? LOST : undefined),
  clean: (options, { frame, run }) => {
    if (!options.has("-f", "--force")) return undefined
    const paths = options.operands.map((path) => resolvePath(path, frame, run))
    return paths.length > 0 && paths.every((path) => isRegenerable(path, run))
      ? undefined
      : "deletes files that git does not know"
  },
  stash: (_, { args }) => (/^(drop|clear)$/.test(args[0] ?? "") ? "throws stashed changes away" : undefined),
  branch: (options) => {
    if (options.has("-D") || (options.has("-d", "--delete") && options.has("-f", "--force")))
      return "deletes a branch whose commits may be nowhere else"
    return options.has("-f", "--force") ? MOVED : undefined
  },
  rebase: (_, { args }) =>
    args.some((arg) => /^--(continue|abort|skip|quit|edit-todo|show-current-patch)$/.test(arg))
      ? undefined
      : REWRITTEN,
  commit: (options) => (options.has("--amend") && !options.has("--dry-run") ? REWRITTEN : undefined),
  "filter-branch": () => REWRITTEN,
  "filter-repo": () => REWRITTEN,
  reflog: () => "forgets the commits that only the reflog still knows",
  gc: (_, { args }) =>
    args.some((arg) => /^--prune=(now|all)$/.test(arg)) ? "deletes commits that no branch holds" : undefined,
  prune: (options) => (options.has("-n", "--dry-run") ? undefined : "deletes commits that no branch holds"),
  "update-ref": (options) => (options.has("-d", "--stdin") ? "deletes a branch or tag" : undefined),
  worktree: (options, { args }) =>
    args[0] === "remove" && options.has("-f", "--force") ? "deletes a work tree with its changes" : undefined,
  submodule: (options, { args }) => (args[0] === "deinit" && options.has("-f", "--force") ? LOST : undefined),
  rm: (options, { frame, run }) => {
    if (options.has("--cached", "-n", "--dry-run") || !options.has("-r", "-f", "--force")) return undefined
    for (const path of options.operands) judgeRemoval(path, frame, run)
    return undefined
  },
}

/** `git checkout .`, `git restore src`: everything there goes back. Single files are ordinary writes. */
function takesAll(paths: readonly string[]): boolean {
  return paths.some((path) => /^(\.{1,2}|\*|:\/?|:\(top\).*|.*\/\*{0,2})$/.test(path) || isFolder(path))
}

/** By its name: folders have no ending, and files without one (Makefile, LICENSE) begin with a capital. */
function isFolder(path: string): boolean {
  return /^[^.A-Z][^.]*$/.test(path.split("/").at(-1) ?? "")
}

const LOST = "throws changes away that are in no commit"
const REWRITTEN = "rewrites commits that may have been published"
const MOVED = "moves a branch away from its commits"
const VALUED = new Map([
  ["push", setOf("-o --push-option --repo --receive-pack --exec")],
  ["commit", setOf("-m --message -F --file -C -c --author --date --fixup --squash -t --template --trailer")],
  ["checkout", setOf("-b --orphan")],
  ["switch", setOf("-c --create --orphan")],
  ["restore", setOf("-s --source")],
  ["branch", setOf("-u --set-upstream-to")],
  ["clean", setOf("-e --exclude")],
])
