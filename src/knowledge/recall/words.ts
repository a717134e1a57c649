import { type Word, wordOf } from "./word.ts"

/**
 * The words of a text in their order. `getUserName`, `user_name`, `file-store.ts` and `src/a/b.ts` give their parts, and
 * the name as one word too; a version gives itself and its first two numbers. Scripts without blanks give n-grams.
 */
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

/** Japanese with Latin names in it, and the like. */
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
    for (const dotted of dottedNames(name)) addParts(words, dotted)
  }
}

/** `Node.js` is one name; of `file-store.test.ts` the ending is none of it. */
function dottedNames(name: string): string[] {
  const pieces = name.split(/[.,+#]+/).filter((piece) => piece !== "")
  if (/^[\d.,]+$/.test(name)) return [pieces.join("")]
  return pieces
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

// What stands between blanks and brackets: a word, a name, a path, a version.
const CHUNK = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.,\-/\\:@=+#']*/gu
const PLAIN = /^(?:\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+)$/u
const ASCII = /^[\0-\x7f]*$/
const BLANKLESS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}"
const UNSPACED = new RegExp(`[${BLANKLESS}]`, "u")
const RUN = new RegExp(`[${BLANKLESS}]+|[^${BLANKLESS}]+`, "gu")
// A letter of these says less than one of the others.
const LONG_GRAMS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const HIRAGANA = /^\p{Script=Hiragana}+$/u
const TRAILING = /[.,\-_:'+#]+$(?<!\b[A-Za-z](?:\+\+|#))/
const VERSION = /^v?((\d+\.\d+)(?:\.\d+)*(?:-[a-z][\w.]*)?)$/i
const SYMBOLIC = /^[A-Za-z](?:\+\+|#)$/
// `URLs` and `HTTPServer2` have their own ways.
const PART =
  /\p{Lu}{2,}s(?!\p{L})|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+\p{Ll}*/gu
const MAX_JOINED = 5
const MAX_NAME = 40
