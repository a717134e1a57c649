import type { Question } from "./judgement.ts"
import type { Run } from "./program.ts"
import { LISTED, UNKNOWN } from "./unknown-text.ts"

/** A program prints names of files that git can be asked about, whatever they are: `git ls-files | xargs rm`. */
export function listing(question: Question, run: Run): string {
  if (run.lists.length >= MAX_LISTS) return UNKNOWN
  run.lists.push(question)
  return LISTED + String.fromCharCode(FIRST + run.lists.length - 1)
}

export function listedIn(word: string, run: Run): Question | undefined {
  const found = questionIn(word, run)
  return found?.ask === "found in hive" ? undefined : found
}

/** Files that grep names, some of which may be HiveMind's own. */
export function foundIn(word: string, run: Run): Question | undefined {
  const found = questionIn(word, run)
  return found?.ask === "found in hive" ? found : undefined
}

function questionIn(word: string, run: Run): Question | undefined {
  const at = word.indexOf(LISTED)
  return at === -1 ? undefined : run.lists[word.charCodeAt(at + 1) - FIRST]
}

/** The marker is followed by the number of the list, as one character. */
const FIRST = 0xe100
const MAX_LISTS = 100
