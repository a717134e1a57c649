import { childFrame } from "./frame.ts"
import { gitLosses } from "./git-losses.ts"
import { gitWrites } from "./git-writes.ts"
import { judgeHiveSettings, judgeHiveWords } from "./hive-words.ts"
import { listing } from "./listed-files.ts"
import { parseOptions, setOf } from "./options.ts"
import { isInHive, resolvePath } from "./paths.ts"
import type { Call, Programs } from "./program.ts"
import { UNKNOWN } from "./unknown-text.ts"

export const git: Programs = { git: runGit, hub: runGit }

/** A git command with its own options taken off. */
export interface GitCall extends Call {
  verb: string
  /** What `-c` sets for this one command. */
  settings: readonly string[]
  /** Its repository is named apart from its folder. */
  isElsewhere: boolean
}

function runGit(call: Call): string | undefined {
  const global = parseOptions(call.args, GLOBAL_VALUED, true)
  const [verb = "", ...args] = global.operands
  let frame = call.frame
  for (const folder of global.values("-C", "--work-tree"))
    frame = childFrame(frame, { cwd: resolvePath(folder, frame, call.run) })
  const inner: GitCall = {
    ...call,
    frame,
    verb,
    args,
    settings: global.values("-c"),
    isElsewhere: global.has("--git-dir"),
  }
  for (const setting of global.values("-c")) {
    // An alias may run anything: `git -c alias.x='!rm -rf /' x`.
    const alias = /^alias\.[^=]+=!(.*)$/s.exec(setting)
    if (alias !== null) call.run.runText(alias[1] ?? "", childFrame(frame))
  }
  judgeHiveSettings(frame, call.run, (name) => name.startsWith("GIT_") || !isReading(verb, args))
  if (isReading(verb, args)) {
    call.run.addKind("read")
    // Most often a script's way to the project's root.
    if (verb === "rev-parse" && args.includes("--show-toplevel")) return call.run.project
    return listedBy(inner)
  }
  call.run.addKind("git")
  writesInHive(inner, global.values("--git-dir", "--work-tree"))
  runInner(inner)
  gitLosses(inner)
  gitWrites(inner)
  return UNKNOWN
}

/** What lists files, and which of them: what is done to these later can be asked of git. */
function listedBy({ verb, args, frame, run }: GitCall): string {
  const options = parseOptions(args, setOf("-x -X --exclude --exclude-from"))
  const { cwd } = frame
  if (verb === "ls-files" && options.has("-o", "--others"))
    return listing(
      { ask: "clean", cwd, args: [options.has("-i", "--ignored") ? "-fdX" : "-fd", ...options.operands] },
      run,
    )
  if (verb === "ls-files") return listing({ ask: "tree", cwd, paths: options.operands }, run)
  const isNames =
    (verb === "diff" && options.has("--name-only")) ||
    (verb === "grep" && options.has("-l", "--files-with-matches", "--name-only"))
  return isNames ? listing({ ask: "tree", cwd }, run) : UNKNOWN
}

/** Wherever a word leads into HiveMind's folder, unless only the index or a commit gets what is there. */
function writesInHive(call: GitCall, folders: readonly string[]): void {
  const { verb, args, frame, run } = call
  const isHere = verb === "init" && parseOptions(args, INIT_VALUED).operands.length === 0
  for (const path of isHere ? [...folders, "."] : folders)
    if (isInHive(resolvePath(path, frame, run))) run.writes(path, frame)
  if (TO_INDEX.has(verb) || (verb === "rm" && args.includes("--cached"))) return
  judgeHiveWords(
    call,
    args.some((arg) => arg.startsWith("--output")),
  )
}

/** Commands inside a git command. */
function runInner({ verb, args, frame, run }: GitCall): void {
  if (verb === "bisect" && args[0] === "run") run.runProgram(args.slice(1), childFrame(frame))
  if (verb === "submodule" && args[0] === "foreach")
    run.runText(parseOptions(args.slice(1), undefined, true).operands.join(" "), childFrame(frame))
}

function isReading(verb: string, args: readonly string[]): boolean {
  if (READING.has(verb)) return !args.some((arg) => arg.startsWith("--output"))
  const [first = ""] = args
  const options = parseOptions(args)
  switch (verb) {
    case "branch":
      return options.operands.length === 0
        ? !options.has("-d", "-D", "-m", "-M")
        : options.has("--list", "--contains")
    case "tag":
      return options.operands.length === 0 || options.has("-l", "--list")
    case "remote":
      return args.length === 0 || /^(-v|show|get-url)$/.test(first)
    case "stash":
      return first === "list" || first === "show"
    case "worktree":
      return first === "list"
    case "reflog":
      return first !== "expire" && first !== "delete"
    case "config":
      return options.has("--get", "--list", "-l", "--get-all", "--get-regexp") || /^(get|list)$/.test(first)
    case "apply":
      return options.has("--check", "--stat", "--numstat", "--summary") && !options.has("--apply")
    case "clean":
      return options.has("-n", "--dry-run")
    case "submodule":
      return args.length === 0 || first === "status"
    case "":
      return true
    default:
      return false
  }
}

const TO_INDEX = setOf("add commit update-index reset push fetch tag notes remote")
const INIT_VALUED = setOf("--template -b --initial-branch --separate-git-dir")
const GLOBAL_VALUED = setOf("-C -c --git-dir --work-tree --namespace --super-prefix --config-env")
const READING = setOf(
  "status log diff show blame annotate grep ls-files ls-tree ls-remote rev-parse rev-list describe shortlog cat-file " +
    "for-each-ref show-ref show-branch name-rev merge-base whatchanged check-ignore check-attr count-objects var " +
    "version help diff-tree diff-index diff-files range-diff cherry fsck verify-commit verify-tag --version --help",
)
