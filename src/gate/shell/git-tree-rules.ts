import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { keptIn, noteCopy } from "./done-so-far.ts"
import { takesDiffBack } from "./file-writes.ts"
import type { GitCall } from "./git.ts"
import { gitDone, isSaved, seenFromNow, staysAtHead } from "./git-done.ts"
import { FROM_FILE, type GitRule } from "./git-rule.ts"
import { changeName, gitSoFar, knownAs } from "./git-so-far.ts"
import { loseStepped, stepBack } from "./git-steps.ts"
import { isPathLike } from "./git-writes.ts"
import type { Question } from "./judgement.ts"
import { listedIn } from "./listed-files.ts"
import { loseMoved } from "./moved.ts"
import { parseOptions, setOf } from "./options.ts"
import { contains, resolvePath } from "./paths.ts"
import { judgeReplacement } from "./replaces.ts"
import { isKnown } from "./unknown-text.ts"

/** Changes that are in no commit: put back, deleted or put away. */
export const TREE_RULES: Record<string, GitRule | undefined> = {
  reset: (options, call) => {
    const isHard = options.has("--hard", "--merge", "--keep")
    if (!staysAtHead(options)) {
      const [done, soFar] = [gitDone(call), gitSoFar(call)]
      const [name = "HEAD"] = options.operands
      // Commits that were made on another branch are no steps on this one.
      const to = done.committedOn === soFar.head ? seenFromNow(name, done) : name
      const step = { tip: soFar.tips.get(soFar.head), to: fromHere(to, call) }
      const isCommit = isHard || options.has("--soft", "--mixed") || /^(HEAD|@)[~^]/.test(name)
      // Commits of the branch that nothing else holds are left behind; without these options their text stays.
      if (isHard) stepBack(step, call)
      else if (options.operands.length === 1 && !call.args.includes("--")) {
        // A second step begins where the first has.
        const whole = soFar.stepped === null ? step : { tip: soFar.stepped.tip, to: knownAs(to, call) }
        soFar.stepped = { ...whole, mayBeFile: !isCommit }
      }
      if (isCommit) changeName({ name: "HEAD", to, isForced: true }, call)
    }
    if (!options.has("--hard", "--merge")) return undefined
    loseMoved(`${call.frame.cwd}/**`, call.run)
    return tree(call)
  },
  checkout: (options, call) => {
    if (options.has("-f", "--force")) return tree(call)
    if (options.has("-b", "-B", "--orphan")) return undefined
    if (options.has(FROM_FILE)) return tree(call)
    const dashes = call.args.indexOf("--")
    // A branch, and no file.
    if (dashes === call.args.length - 1) return undefined
    if (dashes === -1) return restored(options.operands, false, call)
    // From a commit the index gets it too.
    const isFromIndex = call.args.slice(0, dashes).every((arg) => arg.startsWith("-"))
    return restored(call.args.slice(dashes + 1), true, call, isFromIndex)
  },
  switch: (options, call) => (options.has("-f", "--force", "--discard-changes") ? tree(call) : undefined),
  restore: (options, call) => {
    const onlyIndex = options.has("-S", "--staged") && !options.has("-W", "--worktree")
    if (onlyIndex) return undefined
    if (options.has(FROM_FILE)) return tree(call)
    return restored(options.operands, true, call, !options.has("-S", "--staged"))
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
  "read-tree": (options, call) => (options.has("--reset") && options.has("-u") ? tree(call) : undefined),
  clean: (options, { args, frame, run, settings }) => {
    const isForced = options.has("-f", "--force") || settings.some((one) => NOT_FORCED.test(one))
    if (!isForced) return undefined
    loseMoved(`${frame.cwd}/**`, run)
    const isPutAway = isSaved(frame.cwd, run) === true
    return { ask: "clean", cwd: frame.cwd, args, ...(isPutAway && { isSaved: true as const }) }
  },
  stash: (_, call) => {
    const { args, frame, run } = call
    const { cwd, elsewhere } = frame
    if (/^(drop|clear)$/.test(args[0] ?? "")) {
      const { stashed, stowed } = gitSoFar(call)
      if (stowed !== null) stepBack(stowed, call)
      return { ask: "stash", cwd, fresh: stashed }
    }
    const options = parseOptions(args, setOf("-m --message"))
    if (!options.has("-u", "--include-untracked") || elsewhere || !isKnown(cwd)) return undefined
    const paths = options.operands.filter((word, at) => at > 0 || !/^(push|save)$/.test(word))
    const isAll = paths.length === 0 || args[0] === "save"
    return { ask: "put away", cwd, paths: isAll ? [`${run.hive}/${HIVE_FOLDER}`] : paths }
  },
  worktree: (options, { args, frame, run }) =>
    args[0] === "remove" && options.has("-f", "--force")
      ? { ask: "worktree", path: resolvePath(options.operands[1] ?? ".", frame, run) }
      : undefined,
  submodule: (options, call) => {
    const { frame, run } = call
    if (options.operands[0] !== "deinit" || !options.has("-f", "--force")) return undefined
    if (options.has("--all")) return { ask: "worktree", path: frame.cwd }
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
      loseStepped(call, path)
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
  loseStepped(call)
  const { tracked, paths } = gitDone(call).saved
  return tracked || paths.some((path) => contains(path, call.run.project))
    ? undefined
    : { ask: "tree", cwd: call.frame.cwd }
}

/** From `@` on where it is a step from HEAD: the branch at hand may be none, where a file was meant. */
function fromHere(name: string, call: GitCall): string {
  return /^(HEAD|@)(?![\w{])/.test(name) ? name.replace("HEAD", "@") : knownAs(name, call)
}

function restored(
  words: readonly string[],
  isPaths: boolean,
  call: GitCall,
  isIndexKept = true,
): Question | undefined {
  const { frame, run } = call
  const paths = words.map((word) => resolvePath(word, frame, run))
  const isPutAway = (path: string) => {
    if (!contains(run.project, frame.cwd)) return false
    const copy = isSaved(path, run) ? undefined : keptIn(run.done, path, paths, isIndexKept)
    // By then it is the only one.
    if (copy !== undefined) run.moves.set(copy, path)
    return copy !== undefined || isSaved(path, run)
  }
  if (isPaths || words.includes(".")) loseStepped(call)
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

const NOT_FORCED = /^clean\.requireforce=(false|no|off|0)$/i
