import { gitDone } from "./git-done.ts"
import type { GitRule } from "./git-rule.ts"
import { askedIn, branchMeant, gitSoFar, knownAs } from "./git-so-far.ts"
import { isKnown } from "./unknown-text.ts"

/** Commits that others have, pushed over or made anew, and those that no name would hold any more. */
export const COMMIT_RULES: Record<string, GitRule | undefined> = {
  push: (options, { settings }) => {
    if (options.has("-n", "--dry-run")) return undefined
    if (settings.some((one) => FORCED.test(one))) return "overwrites the remote branch (force push)"
    // With a lease, too: it only checks that nobody pushed since the last fetch, and still replaces commits.
    if (options.has("-f", "--force", "--mirror") || options.has("--force-with-lease"))
      return "overwrites the remote branch (force push)"
    const refs = options.operands.slice(1)
    if (refs.some((ref) => ref.startsWith("+"))) return "overwrites the remote branch (force push)"
    const isDeleted = options.has("-d", "--delete")
    const names = isDeleted ? refs : refs.filter((ref) => /^:./.test(ref))
    const isNamed = [options.operands[0] ?? "", ...names].every((word) => isKnown(word) && PLAIN.test(word))
    const isUnknown = options.has("--prune") || (isDeleted && names.length === 0)
    return isUnknown || (names.length > 0 && !isNamed) ? "deletes a remote branch" : undefined
  },
  "send-pack": (options) =>
    options.has("-f", "--force", "--mirror") || options.operands.slice(1).some((ref) => ref.startsWith("+"))
      ? "overwrites the remote branch (force push)"
      : undefined,
  branch: (options, call) => {
    const isDeleted = options.has("-D") || (options.has("-d", "--delete") && options.has("-f", "--force"))
    // What was committed just before may be on it.
    const { committedOn } = gitDone(call)
    const isOn = options.operands.some((name) => branchMeant(name, call) === committedOn)
    if (isDeleted && committedOn !== null && (isOn || committedOn !== gitSoFar(call).head))
      return { ask: "worktree", path: call.frame.cwd }
    return undefined
  },
  rebase: (options, call) => {
    if (call.args.some((arg) => /^--(continue|abort|skip|quit|edit-todo|show-current-patch)$/.test(arg)))
      return undefined
    const [upstream, name = "HEAD"] = options.operands
    const base = upstream === undefined ? "tracked" : knownAs(upstream, call)
    const asked = {
      cwd: askedIn(call),
      tip: knownAs(name, call),
      upstream: options.has("--root") ? "all" : base,
    }
    return { ask: "published", ...asked }
  },
  commit: (options, call) => {
    // What this very command has committed before, nobody else can have.
    if (!options.has("--amend") || options.has("--dry-run") || gitSoFar(call).hasCommitted) return undefined
    return { ask: "published", cwd: askedIn(call), tip: knownAs("HEAD", call), upstream: "last" }
  },
  "filter-branch": () => REWRITTEN,
  "filter-repo": () => REWRITTEN,
  reflog: () => "forgets the commits that only the reflog still knows",
  gc: (_, { args }) =>
    args.some((arg) => /^--prune=(now|all)$/.test(arg)) ? "deletes commits that no branch holds" : undefined,
  prune: (options) => (options.has("-n", "--dry-run") ? undefined : "deletes commits that no branch holds"),
  "update-ref": (options) => (options.has("--stdin") ? "may delete branches and tags" : undefined),
}

/** A remote or a branch by its name; no address, and no tag. */
const PLAIN = /^:?(refs\/heads\/|(?!refs\/))[\w./-]+$/
const FORCED = /^remote\..*\.(push=\+|mirror=(true|yes|on|1)?$)/i
const REWRITTEN = "rewrites commits that may have been published"
