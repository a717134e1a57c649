import type { GitCall } from "./git.ts"
import type { Options } from "./options.ts"

/** What a git command does to one branch (by its name) or another ref (as `refs/…`). */
export interface NameChange {
  readonly name: string
  /** The commit that it holds from then on; null where it is deleted, undefined where nobody knows. */
  readonly to: string | null | undefined
  /** git does not look whether a commit is left behind. */
  readonly isForced: boolean
}

/** The names that a git command makes, moves and deletes, in this order. */
export function namesChanged(options: Options, call: GitCall): NameChange[] {
  const changes = CHANGES[call.verb]?.(options, call) ?? []
  return changes.map((each) => ({ ...each, name: anyOf(each.name).replace(/^refs\/heads\//, "") }))
}

/** The branch that `checkout` or `switch` makes. */
export function newBranch(options: Options): string | undefined {
  const [name] = options.values(...MADE, ...MADE_ANEW)
  const [start] = options.operands
  const isTracked = name === undefined && options.has("-t", "--track") && start !== undefined
  return isTracked ? start.replace(/^(refs\/remotes\/)?[^/]+\//, "") : name
}

type Changes = (options: Options, call: GitCall) => readonly NameChange[]

const checkedOut: Changes = (options) => {
  const [name, [to = "HEAD"]] = [newBranch(options), options.operands]
  return name === undefined ? [] : [{ name, to, isForced: options.has(...MADE_ANEW) }]
}

const fetched: Changes = (options) => {
  const [remote, ...refs] = options.operands
  const isForced = (ref: string) => ref.startsWith("+") || options.has("-f", "--force")
  return refs.filter(isForced).flatMap((ref) => {
    const [from = "", name = ""] = ref.replace(/^\+/, "").split(":")
    // What is known of a remote is the remote's.
    if (name === "" || name.startsWith("refs/remotes/")) return []
    return [{ name, to: remote === "." ? from : undefined, isForced: true }]
  })
}

const CHANGES: Record<string, Changes | undefined> = {
  branch: (options) => {
    const isForced = options.has("-f", "--force")
    const [first, second] = options.operands
    if (options.has("-d", "-D", "--delete")) {
      const isRemote = options.has("-r", "--remotes")
      return options.operands.map((name) =>
        isRemote
          ? { name: `refs/remotes/${name}`, to: null, isForced: false }
          : { name, to: null, isForced: isForced || options.has("-D") },
      )
    }
    if (first === undefined) return []
    const [from, name] = second === undefined ? ["HEAD", first] : [first, second]
    if (options.has("-m", "-M", "--move"))
      return [
        { name, to: from, isForced: isForced || options.has("-M") },
        { name: from, to: null, isForced: false },
      ]
    if (options.has("-c", "-C", "--copy"))
      return [{ name, to: from, isForced: isForced || options.has("-C") }]
    return [{ name: first, to: second ?? "HEAD", isForced }]
  },
  tag: (options) => {
    const tag = (name: string) => `refs/tags/${name}`
    if (options.has("-d", "--delete"))
      return options.operands.map((name) => ({ name: tag(name), to: null, isForced: true }))
    const [name, to = "HEAD"] = options.operands
    return name === undefined ? [] : [{ name: tag(name), to, isForced: options.has("-f", "--force") }]
  },
  checkout: checkedOut,
  switch: checkedOut,
  worktree: (options) => {
    const [verb, , to = "HEAD"] = options.operands
    const [name] = options.values("-b", "-B")
    return verb !== "add" || name === undefined ? [] : [{ name, to, isForced: options.has("-B") }]
  },
  push: (options) => {
    if (options.has("-n", "--dry-run")) return []
    const [remote, ...refs] = options.operands
    const isDeleted = (ref: string) => options.has("-d", "--delete") || /^:./.test(ref)
    return refs.filter(isDeleted).map((ref) => {
      const name = ref.replace(/^:?(refs\/heads\/)?/, "")
      return { name: `refs/remotes/${remote}/${name}`, to: null, isForced: true }
    })
  },
  fetch: fetched,
  pull: fetched,
  "update-ref": (options) => {
    const [name, to] = options.operands
    return name === undefined ? [] : [{ name, to: options.has("-d") ? null : to, isForced: true }]
  },
}

/** A name that is not known, as a pattern: git has no such sign in a name. */
function anyOf(name: string): string {
  return name.replaceAll(/[\uE000-\uE002]+/g, "*")
}

const MADE = ["-b", "-c", "--create"]
const MADE_ANEW = ["-B", "-C", "--force-create"]
