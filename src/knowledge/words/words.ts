import { maskOf } from "./function-words.ts"
import { plainForm, stem } from "./stem.ts"

/** Splits a text into words. Names and paths also give their parts, versions their first two numbers, unspaced text n-grams. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  const plain = ASCII.test(text) ? text : text.normalize("NFKC").replaceAll("’", "'")
  for (const chunk of plain.match(CHUNK) ?? []) {
    if (PLAIN.test(chunk)) words.push(wordOf(chunk, false))
    else if (UNSPACED.test(chunk)) addMixed(words, chunk)
    else addName(words, chunk)
  }
  return words
}

/** Splits text in which writing with and without spaces is mixed, for example Japanese with Latin names. */
function addMixed(words: Word[], chunk: string): void {
  for (const [run] of chunk.matchAll(RUN)) {
    if (!UNSPACED.test(run)) {
      if (PLAIN.test(run)) words.push(wordOf(run, false))
      else addName(words, run)
      continue
    }
    const letters = [...run]
    const length = LONG_GRAMS.test(run) ? 3 : 2
    if (letters.length <= length) addGram(words, run)
    else
      for (let n = 0; n + length <= letters.length; n++) addGram(words, letters.slice(n, n + length).join(""))
  }
}

function addGram(words: Word[], gram: string): void {
  // Hiragana alone is nearly always grammar.
  if (!HIRAGANA.test(gram)) words.push(wordOf(gram, true))
}

function addName(words: Word[], chunk: string): void {
  for (const piece of chunk.split(/[/\\:@=]+/)) {
    const name = piece.replace(TRAILING, "").replace(/'s$/i, "").replaceAll("'", "")
    if (name === "") continue
    const version = VERSION.exec(name)
    if (version !== null) {
      words.push(wordOf(name, true, version[1] ?? ""))
      if (version[1] !== version[2]) words.push(wordOf(version[2] ?? "", true))
      continue
    }
    if (SYMBOLIC.test(name)) {
      words.push(wordOf(name, true))
      continue
    }
    const pieces = name.split(/[.,+#]+/).filter((each) => each !== "")
    if (/^[\d.,]+$/.test(name)) addParts(words, pieces.join(""))
    else for (const each of pieces) addParts(words, each)
  }
}

function addParts(words: Word[], name: string): void {
  const parts = name.split(/[-_]+/).flatMap((piece) => piece.match(PART) ?? [])
  if (parts.length > 1) {
    const whole = parts.join("").toLowerCase()
    if (parts.length <= MAX_JOINED && whole.length <= MAX_NAME) words.push(wordOf(name, true, whole))
  }
  for (const part of parts)
    if (parts.length === 1 || part.length > 1) words.push(wordOf(part, /\d/.test(part)))
}

export interface Word {
  shown: string
  text: string
  /** True for a name put together from parts (`filestore` of `fileStore`), a version or an n-gram: never stemmed. */
  isName: boolean
  functionIn: number
  /** The form that an English text is indexed with; `other` is for all other languages. */
  english: string
  other: string
}

/** Results are cached, because the words of a project repeat. */
export function wordOf(shown: string, isName: boolean, text: string = shown.toLowerCase()): Word {
  const known = isName ? knownNames : knownWords
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

const knownWords = new Map<string, Word>()
const knownNames = new Map<string, Word>()
const MAX_KNOWN = 30_000

/** Removes accents from Latin letters only: `й` and `が` are letters of their own. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text
  return text
    .replaceAll("ß", "ss")
    .replaceAll("ё", "е")
    .normalize("NFD")
    .replace(LATIN_MARKS, "$1")
    .normalize("NFC")
}

/** Initials of capitalised names: `EF` finds `Entity Framework`. Also without the first word, which may only begin a sentence. */
export function initialsIn(text: string): { letters: string; from: string }[] {
  const found: { letters: string; from: string }[] = []
  for (const [run] of text.matchAll(CAPITALISED)) {
    const words = run.split(BETWEEN)
    for (let first = 0; first < Math.min(words.length - 1, 2); first++) {
      const name = words.slice(first)
      const letters = name.map((word) => word[0] ?? "").join("")
      found.push({ letters: letters.toLowerCase(), from: name.join(" ") })
    }
  }
  return found
}

// A word, a name, a path or a version: everything between spaces and brackets.
const CHUNK = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.,\-/\\:@=+#']*/gu
const PLAIN = /^(?:\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+)$/u
const ASCII = /^[\0-\x7f]*$/
const BLANKLESS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}"
const UNSPACED = new RegExp(`[${BLANKLESS}]`, "u")
const RUN = new RegExp(`[${BLANKLESS}]+|[^${BLANKLESS}]+`, "gu")
const LONG_GRAMS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const HIRAGANA = /^\p{Script=Hiragana}+$/u
const TRAILING = /[.,\-_:'+#]+$(?<!\b[A-Za-z](?:\+\+|#))/
const VERSION = /^v?((\d+\.\d+)(?:\.\d+)*(?:-[a-z][\w.]*)?)$/i
const SYMBOLIC = /^[A-Za-z](?:\+\+|#)$/
// Parts of a name; `URLs` and `HTTPServer2` are split correctly too.
const PART =
  /\p{Lu}{2,}s(?!\p{L})|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+\p{Ll}*/gu
const MAX_JOINED = 5
const MAX_NAME = 40
const LATIN_MARKS = /([a-z])[\u0300-\u036f]+/g
const CAPITALISED = /\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+){1,4}\b/g
const BETWEEN = /[ -]/
