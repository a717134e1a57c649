import { fold } from "./fold.ts"
import { maskOf } from "./function-words.ts"
import { plainForm, stem } from "./stem.ts"

/** A word of a text as it is looked for. */
export interface Word {
  /** As a person would recognise it. */
  shown: string
  /** In small letters. */
  text: string
  /** A name put together from parts, such as `filestore` of `fileStore`, a version, an n-gram: never stemmed. */
  isName: boolean
  /** The languages in which it is a function word. */
  functionIn: number
  /** How it stands in the index in an English text, and in any other. */
  english: string
  other: string
}

/** The words of a project are few and come again and again: each is looked at once. */
export function wordOf(shown: string, isName: boolean, text: string = shown.toLowerCase()): Word {
  const known = isName ? names : words
  const before = known.get(shown)
  if (before !== undefined && before.text === text) return before
  if (known.size >= MAX_KNOWN) known.clear()
  const folded = fold(text)
  const word = {
    shown,
    text,
    isName,
    functionIn: isName ? 0 : maskOf(text),
    english: isName ? folded : stem(folded),
    other: isName ? folded : plainForm(folded),
  }
  known.set(shown, word)
  return word
}

const words = new Map<string, Word>()
const names = new Map<string, Word>()
const MAX_KNOWN = 30_000
