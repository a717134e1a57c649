import type { CommandKind, Discard, FindingKind } from "./command-reading.ts"
import { type FileEffect, outputOptions } from "./file-programs.ts"
import { type Options, parseOptions, setOf } from "./options.ts"

/** The effects of a git command, judged by its text. Paths are as in the text, relative to the last of `folders`. */
export interface GitReading {
  kind: CommandKind
  verb: string
  /** The working folders that `-C` and `--work-tree` set. */
  folders: readonly string[]
  effects: readonly FileEffect[]
  /** The command changes files of the work tree that its text does not name, as a merge does. */
  writesUnknown: boolean
  discards: readonly Omit<Discard, "part">[]
  /** The changes that the command stashes or commits: of tracked files only, or of all files. */
  stashes: "nothing" | "tracked" | "all"
  finding: FindingKind | undefined
}

export function readGit(args: readonly string[], branch: string | null): GitReading {
  const global = parseOptions(args, GLOBAL_VALUED, true)
  const [verb = "", ...words] = global.operands
  const options = parseOptions(words, setOf(Object.hasOwn(VALUED, verb) ? (VALUED[verb] ?? "") : ""))
  const git = { verb, words, options, settings: global.values("-c") }
  const lines = Object.hasOwn(READING_LINES, verb) ? READING_LINES[verb] : undefined
  const isReader = READING.has(verb) && !words.some((word) => word.startsWith("--output"))
  const isRead = isReader || lines?.test(words.join(" ")) === true
  return {
    kind: isRead ? "read" : "git",
    verb,
    folders: global.values("-C", "--work-tree"),
    effects: isRead ? [] : effectsOf(git),
    writesUnknown: !isRead && writesUnknown(git),
    discards: isRead ? [] : discardsOf(git),
    stashes: stashedBy(git),
    finding: verb === "push" || verb === "send-pack" ? pushFinding(git, branch) : undefined,
  }
}

interface Git {
  verb: string
  words: readonly string[]
  options: Options
  settings: readonly string[]
}

function pushFinding({ words, options, settings }: Git, branch: string | null): FindingKind | undefined {
  if (options.has("-n", "--dry-run")) return undefined
  const refs = options.operands.slice(1)
  if (options.has("-d", "--delete", "--prune") || refs.some((ref) => /^:./.test(ref)))
    return "remote deletion"
  const isForced =
    options.has("-f", "--force", "--mirror") ||
    refs.some((ref) => ref.startsWith("+")) ||
    settings.some((one) => /^remote\..*\.(push=\+|mirror=(true|yes|on|1)?$)/i.test(one))
  // Git accepts abbreviations: `--force-with` is `--force-with-lease`.
  const isLeased = words.some((word) => word.startsWith("--force-with"))
  if (isForced && !isLeased) return "force push"
  const targets = refs.length === 0 ? ["HEAD"] : refs.map((ref) => ref.split(":").at(-1) ?? "")
  const isShared = targets.some((ref) => PROTECTED_BRANCH.test(ref === "HEAD" ? (branch ?? "") : ref))
  return isLeased && (isShared || options.has("--all", "--mirror")) ? "force push" : undefined
}

function discardsOf({ verb, words, options, settings }: Git): GitReading["discards"] {
  const discard = (what: Discard["what"], paths: readonly string[], isCertain = true) => [
    { what, paths, isCertain },
  ]
  const isForced = options.has("-f", "--force")
  const dashes = words.indexOf("--")
  switch (verb) {
    case "reset":
      return options.has("--hard", "--merge") ? discard("tracked", ["."]) : []
    case "checkout": {
      if (isForced || options.has("--pathspec-from-file")) return discard("tracked", ["."])
      if (options.has("-b", "-B", "--orphan")) return []
      // Without `--` the first word may be a branch; refuseDataLoss compares it with the user's files.
      const paths = dashes === -1 ? options.operands : words.slice(dashes + 1)
      return paths.length === 0 ? [] : discard("tracked", paths, dashes !== -1 || paths.some(isPathLike))
    }
    case "switch":
      return isForced || options.has("--discard-changes") ? discard("tracked", ["."]) : []
    case "restore":
      if (isOnlyIndex(options)) return []
      return discard("tracked", options.has("--pathspec-from-file") ? ["."] : options.operands)
    case "clean": {
      if (!isForced && !settings.some((one) => /^clean\.requireforce=(false|no|off|0)$/i.test(one))) return []
      const what = options.has("-X") ? "ignored" : options.has("-x") ? "untracked and ignored" : "untracked"
      return discard(what, options.operands.length === 0 ? ["."] : options.operands)
    }
    case "rm":
      return isForced && !options.has("--cached") ? discard("tracked", options.operands) : []
    case "stash":
      return /^(drop|clear)$/.test(words[0] ?? "") ? discard("stash", ["."]) : []
    default:
      return []
  }
}

function effectsOf({ verb, words, options }: Git): FileEffect[] {
  const { operands } = options
  const as = (how: FileEffect["how"], names: readonly string[]) => names.map((word) => ({ word, how }))
  const dashes = words.indexOf("--")
  switch (verb) {
    case "checkout": {
      const isPath = (word: string, at: number) => at > 0 || isPathLike(word)
      return as("written", dashes === -1 ? operands.filter(isPath) : words.slice(dashes + 1))
    }
    case "restore":
      return isOnlyIndex(options) ? [] : as("written", operands)
    case "rm":
      if (options.has("--cached", "-n", "--dry-run")) return []
      return as(options.has("-r") ? "removed recursively" : "written", operands)
    case "mv": {
      const over = options.has("-f") ? "moved over" : "written"
      return [...as("moved", operands.slice(0, -1)), ...as(over, operands.slice(-1))]
    }
    case "stash":
      return as("written", options.has("-a", "--all") ? [".hivemind"] : [])
    case "worktree": {
      // Worktrees usually lie outside of the project, where no snapshot covers them.
      const isForced = operands[0] === "remove" && options.has("-f", "--force")
      return as(isForced ? "removed recursively" : "written", operands.slice(1, 2))
    }
    default:
      return outputOptions(words)
  }
}

function stashedBy({ verb, words, options }: Git): GitReading["stashes"] {
  const [action = "push", ...paths] = options.operands
  if (verb === "commit" && options.has("-a", "--all")) return "tracked"
  if (verb !== "stash" || !/^(push|save)$/.test(action) || (action === "push" && paths.length > 0))
    return "nothing"
  return words.some((word) => /^-\w*[ua]|^--(include-untracked|all)$/.test(word)) ? "all" : "tracked"
}

function writesUnknown({ verb, words, options }: Git): boolean {
  if (words.includes("--")) return false
  if (/^(checkout|switch)$/.test(verb))
    return !options.has("-b", "-c", "--create") || options.operands.length > 0
  if (verb === "reset") return options.has("--hard", "--merge", "--keep")
  return /^(apply|am|merge|pull|rebase|cherry-pick|revert|read-tree|checkout-index)$/.test(verb)
}

function isOnlyIndex(options: Options): boolean {
  return options.has("-S", "--staged") && !options.has("-W", "--worktree")
}

function isPathLike(word: string): boolean {
  return /^\.{1,2}($|\/)|^:|[*?]|\/$|\.\w{1,5}$|^\.\w/.test(word)
}

/** Git verbs that only read if their arguments match. */
const READING_LINES: Readonly<Record<string, RegExp>> = {
  "": /^/,
  branch:
    /^$|^(?!.*(^|\s)(-\w*[dDmMcCfu]|--(delete|move|copy|force|set-|unset-|edit-)))(-[avr]+|--(list|contains|merged|no-merged|show-current|all|sort|format|points-at)\b)/,
  tag: /^$|^(-l|-n\d*|--(list|contains|sort|points-at)\b)/,
  remote: /^$|^(-v|show|get-url)\b/,
  stash: /^(list|show)\b/,
  worktree: /^list\b/,
  reflog: /^(?!expire|delete)/,
  config: /(^|\s)(--get\S*|--list|-l|get|list)\b/,
  apply: /^(?!.*--apply).*--(check|stat|numstat|summary)\b/,
  clean: /(^|\s)(-[a-z]*n|--dry-run)/,
  submodule: /^$|^status\b/,
}
const PROTECTED_BRANCH = /^(refs\/heads\/)?(main|master|develop|release\/.*)$/
const GLOBAL_VALUED = setOf("-C -c --git-dir --work-tree --namespace --super-prefix --config-env")
const READING = setOf(
  "status log diff show blame annotate grep ls-files ls-tree ls-remote rev-parse rev-list describe shortlog cat-file " +
    "for-each-ref show-ref show-branch name-rev merge-base whatchanged check-ignore check-attr count-objects var " +
    "version help diff-tree diff-index diff-files range-diff cherry fsck verify-commit verify-tag --version --help",
)
const VALUED: Readonly<Record<string, string>> = {
  push: "-o --push-option --repo --receive-pack --exec",
  checkout: "-b -B --orphan --conflict --pathspec-from-file",
  ...{ switch: "-c -C --create --force-create --orphan", restore: "-s --source --pathspec-from-file" },
  ...{ worktree: "-b -B --reason", stash: "-m --message", clean: "-e --exclude" },
}
