import { posix } from "node:path"
import { isGlob } from "../../shared/glob.ts"
import type { Frame } from "./frame.ts"
import { isSaved } from "./git-done.ts"
import { loseMoved } from "./moved.ts"
import { contains, isDiscarded, isDiskDevice, resolvePath } from "./paths.ts"
import type { Run } from "./program.ts"
import { isKnown } from "./unknown-text.ts"

interface Replacement {
  /** The file that takes its place; none for a program's output. */
  from?: string
  /** The name it gets where the target turns out to be a folder. */
  into?: string
  replacesLinks?: boolean
  /** What git does not know may be replaced. */
  only?: "tracked"
  /** The text of the step that makes the new text, where that is not all of a pipe. */
  step?: string
}

/**
 * A file gets another text as a whole. Whether the one it has is in git, git is asked; a target that cannot be known is
 * let pass, because most of these are new files.
 */
export function judgeReplacement(
  word: string,
  frame: Frame,
  run: Run,
  { from, into, replacesLinks = false, only: wanted, step = frame.pipe }: Replacement = {},
): void {
  const path = resolvePath(word, frame, run)
  if (word === "" || frame.elsewhere || !isKnown(path) || isDiscarded(path) || isDiskDevice(path)) return
  const source = from === undefined ? null : resolvePath(from, frame, run)
  // In a folder it gets a name of its own, and by the next turn of `for f in *.md; do mv "$f" "old-$f"` too.
  const isInFolder = into !== undefined && run.isFolder(path)
  const isNextTurn = isGlob(path) && run.moves.get(path) === source
  if (!isInFolder && !isNextTurn) loseMoved(path, run)
  const { copies, made } = run.done.now
  if (source !== null && isMadeFrom(made.get(source), path)) return
  for (const [copy, original] of copies) {
    if (!contains(original, path) || copy === path) continue
    // Unless the new text comes from there, it is the only one by then.
    const isEdit =
      source === copy || isMadeFrom(made.get(source ?? ""), copy) || isMadeFrom(inputsOf(step, frame), copy)
    if (!isEdit) run.moves.set(copy, path)
    return
  }
  const saved = isSaved(path, run)
  if (saved === true || (saved === "tracked" && wanted === "tracked")) return
  const only = saved === "tracked" ? "untracked" : wanted
  // With a name for a folder it may be another file.
  if (into === undefined) run.replaced.add(path)
  // Put aside before, and put back: had that failed, there would be nothing to put back.
  const isBack = source !== null && run.aside.get(source) === path
  run.loses({
    ...{ ask: "replaced", path, from: source, into: into ?? null, replacesLinks },
    ...(only !== undefined && { only }),
    ...(isBack && { isBack }),
  })
}

/** The words of a step that it may read: not where it writes, nor what git has of a file (`HEAD:a.ts`). */
export function inputsOf(step: string, { vars }: Frame): string {
  const text = step.slice(0, MAX_STEP_CHARS)
  // A command with many redirections is one step.
  if (read?.step !== text) read = { step: text, words: wordsRead(text) }
  return read.words.replaceAll(/\$\{?(\w+)\}?/g, (spelled, name: string) => {
    const [value = spelled, ...others] = vars.get(name) ?? []
    return others.length === 0 ? value : spelled
  })
}

function wordsRead(step: string): string {
  return step
    .replaceAll(/>{1,2}\|?\s*("[^"]*"|'[^']*'|\S+)/g, " ")
    .replaceAll(/(^|\s)["']?[\w.@~^{}-]+(\/[\w.@~^{}-]+)*:\S*/g, " ")
}

/** `jq … file > new && mv new file` is an edit of the file: its text went into the new one. */
export function isMadeFrom(step: string | undefined, path: string): boolean {
  if (step === undefined) return false
  const name = posix.basename(path)
  return step.split(/[\s'"=:;|&<>()]+/).some((word) => word === name || word.endsWith(`/${name}`))
}

let read: { step: string; words: string } | undefined
const MAX_STEP_CHARS = 500
