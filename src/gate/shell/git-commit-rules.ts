import type { GitCall } from "./git.ts"
import { gitDone, headOf } from "./git-done.ts"
import type { GitRule } from "./git-rule.ts"
import type { Question } from "./judgement.ts"
import type { Options } from "./options.ts"

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
    if (options.has("-d", "--delete", "--prune") || refs.some((ref) => /^:./.test(ref)))
      return "deletes a remote branch"
    return undefined
  },
  "send-pack": (options) =>
    options.has("-f", "--force", "--mirror") || options.operands.slice(1).some((ref) => ref.startsWith("+"))
      ? "overwrites the remote branch (force push)"
      : undefined,
  fetch: forcedRefs,
  pull: forcedRefs,
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
      call.run.loses({ ask: "worktree", path: call.frame.cwd })
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
}

/** `+a:b` moves the branch `b`, whatever it has. */
function forcedRefs(options: Options, call: GitCall): undefined {
  const [remote = "", ...refs] = options.operands
  for (const ref of refs) {
    const [from = "", to = ""] = ref.replace(/^\+/, "").split(":")
    const isForced = ref.startsWith("+") || options.has("-f", "--force")
    if (isForced && to !== "" && !to.startsWith("refs/remotes/"))
      call.run.loses(branch(to.replace(/^refs\/heads\//, ""), call, remote === "." ? from : null))
  }
  return undefined
}

/** `to` is where it goes, HEAD where nothing is said; null where its commits are held by nothing of this command. */
export function branch(name = "HEAD", call: GitCall, to: string | null = "HEAD"): Question {
  // By then another branch may be checked out.
  const at = to?.replace(/^(HEAD|@)(?=[~^]|$)/, headOf(call))
  const kept = [...gitDone(call).kept, ...(at === undefined ? [] : [at])]
  call.run.git.deleted.add(name.replace(/^refs\/(heads|tags)\//, ""))
  return { ask: "branch", cwd: call.frame.cwd, name, ...(kept.length > 0 && { kept }) }
}

/** A name that this command has given goes, and the branch that it was given for has gone before: then that is asked about. */
function loseNamed(names: readonly string[], { frame, run }: GitCall): void {
  const { deleted, names: given } = run.git
  for (const name of names) deleted.add(name)
  const hasMoved = [...deleted].some((one) => !names.includes(one))
  for (const name of names) {
    const start = given.get(name)
    if (start !== undefined && (deleted.has(start) || (start === "HEAD" && hasMoved)))
      run.loses({ ask: "branch", cwd: frame.cwd, name: start })
  }
}

/** A name that is not known, as a pattern: git has no such sign in a name. */
function anyOf<Name extends string | undefined>(name: Name) {
  return name?.replaceAll(/[\uE000-\uE002]+/g, "*")
}

const FORCED = /^remote\..*\.(push=\+|mirror=(true|yes|on|1)?$)/i
const REWRITTEN = "rewrites commits that may have been published"
