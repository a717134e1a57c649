import { posix } from "node:path"
import { isGlob, pathsMeet } from "../../shared/glob.ts"
import type { GitDone } from "./git-done.ts"
import { contains } from "./paths.ts"

/**
 * What earlier steps of the same command have done for sure. A step counts where the next one only runs if it went well:
 * after `&&`, or under `set -e`. It may be that what a later step would lose has been kept by an earlier one.
 */
interface Done {
  /** Copied or moved things, by where they are now: absolute paths, with what was there before. */
  readonly copies: ReadonlyMap<string, string>
  /** Files that were written, and the text of the step that wrote them. */
  readonly made: ReadonlyMap<string, string>
  readonly git: GitDone | null
}

export interface DoneSoFar {
  /** As of this step; the walk over the command puts it back where a step may not have gone well. */
  now: Done
}

export function nothingDone(): DoneSoFar {
  return { now: NOTHING }
}

export function noteCopy(done: DoneSoFar, from: string, to: string): void {
  if (done.now.copies.size < MAX_NOTED)
    done.now = { ...done.now, copies: new Map(done.now.copies).set(to, from) }
}

/** `git diff f > p`: what git knows of the file and this are the file. Of one that git does not know it has nothing. */
export function noteDiff(done: DoneSoFar, file: string, to: string): void {
  noteCopy(done, file + ONLY_DIFF, to)
}

/**
 * A copy of this, outside of all that is put back with it, from which git puts it together again: a patch only where the
 * index stays as it is, because what is staged is not in it.
 */
export function keptIn(
  done: DoneSoFar,
  path: string,
  putBack: readonly string[],
  isIndexKept: boolean,
): string | undefined {
  for (const [copy, original] of done.now.copies)
    if (contains(original, path) || (isIndexKept && original === path + ONLY_DIFF))
      if (!putBack.some((one) => contains(one, copy))) return copy
  return undefined
}

export function noteMade(done: DoneSoFar, path: string, text: () => string): void {
  if (done.now.made.size < MAX_NOTED)
    done.now = { ...done.now, made: new Map(done.now.made).set(path, text()) }
}

/** What was copied there is overwritten, deleted or moved. */
export function forgetCopy(done: DoneSoFar, path: string): void {
  // The target of a copy may turn out to be a folder.
  const isIn = (copy: string, original: string) =>
    (isGlob(path) ? pathsMeet(path, copy) : contains(path, copy)) ||
    path === `${copy}/${posix.basename(original)}`
  const kept = [...done.now.copies].filter(([copy, original]) => !isIn(copy, original))
  if (kept.length < done.now.copies.size) done.now = { ...done.now, copies: new Map(kept) }
}

/** No path has it. */
const ONLY_DIFF = "\0diff"
const NOTHING: Done = { copies: new Map(), made: new Map(), git: null }
/** A command with more steps is no line that somebody types. */
const MAX_NOTED = 50
