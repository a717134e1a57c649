import { TOKEN_WORDS } from "./token-words.ts"

/** A tokenizer's vocabulary. `any`: unknown, so the higher rates of cl100k and o200k are used. */
export type Vocabulary = "any" | "o200k"

export function vocabularyOf(model: string | undefined): Vocabulary {
  return model !== undefined && O200K_MODEL.test(model) ? "o200k" : "any"
}

/** Estimates a text's tokens, rather too many, because a budget must not be exceeded. Splits the text as tokenizers do. */
export function countTokens(text: string, vocabulary: Vocabulary = "any"): number {
  const rates = RATES[vocabulary]
  let tokens = 0
  let before = 0
  for (const piece of text.match(PIECE) ?? []) {
    const code = piece.charCodeAt(0)
    // A space is part of the token of the next word, and a token of its own before a number.
    if (isDigit(code)) tokens += Math.ceil(piece.length / DIGITS_PER_TOKEN) + (before === BLANK ? 1 : 0)
    else if (isLetter(code)) tokens += latin(piece, rates)
    else if (code <= BLANK) tokens += piece === " " ? 0 : 1
    else if (code <= LAST_ASCII) tokens += JSON_SEAMS.get(piece) ?? signs(piece.length, isDigit(before))
    else for (const char of piece) tokens += charTokens(char, vocabulary)
    before = piece.charCodeAt(piece.length - 1)
  }
  return Math.ceil(tokens * MARGIN)
}

function signs(length: number, isBehindDigit: boolean): number {
  return Math.max(isBehindDigit ? 1 : TOKENS_PER_SIGN, length * TOKENS_PER_PUNCTUATION)
}

/** The tokens of a run of Latin letters. `getUserName` is three words. */
function latin(run: string, rates: Rates): number {
  if (commonWords().has(run)) return 1
  const words = run.match(HUMP) ?? []
  if (words.length > 2 && run.length < words.length * 3) return run.length / LETTERS_PER_ENCODED_TOKEN
  return words.reduce((sum, word) => sum + wordTokens(word, rates), 0)
}

function wordTokens(word: string, rates: Rates): number {
  if (word.length <= 2) return 1
  const small = word.toLowerCase()
  const isCapitals = word.length > 3 && word === word.toUpperCase()
  if (commonWords().has(small)) return isCapitals ? Math.max(1, word.length / LETTERS_PER_KNOWN_CAPITALS) : 1
  if (isCapitals) return word.length / LETTERS_PER_CAPITALS_TOKEN
  if (commonWords().has(small.replace(ENDING, ""))) return TOKENS_PER_ENDED_WORD
  let vowels = 0
  let accents = 0
  for (const char of small) {
    if (VOWELS.includes(char)) vowels++
    else if (char > "\x7f") accents += rates.accents[char < "\u0100" ? 0 : char < "\u1e00" ? 1 : 2]
  }
  // A run with hardly any vowels is a hash or encoded data, not a word.
  const isDense = (vowels + accents * 2) * 5 < word.length
  const letters = isDense ? LETTERS_PER_DENSE_TOKEN : rates.letters
  return Math.max(1, word.length / letters + accents)
}

function charTokens(char: string, vocabulary: Vocabulary): number {
  const code = char.codePointAt(0) ?? 0
  const script = SCRIPTS.find((each) => code <= each[0])
  if (script === undefined) return TOKENS_PER_ASTRAL
  const [, any, o200k, single] = script
  if (vocabulary === "o200k") return o200k
  return single?.includes(char) ? TOKENS_PER_SINGLE : any
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isLetter(code: number): boolean {
  const small = code | 0x20
  const isAccented = (code >= 0xc0 && code <= 0x24f) || (code >= 0x1e00 && code <= 0x1eff)
  return isAccented || (small >= 0x61 && small <= 0x7a && code <= LAST_ASCII)
}

/** Whether a lower-case word, with or without its ending, is among the most common English words. */
export function isCommonWord(word: string): boolean {
  return commonWords().has(word) || commonWords().has(word.replace(ENDING, ""))
}

function commonWords(): ReadonlySet<string> {
  common ??= new Set(TOKEN_WORDS.split(/(?=[A-Z])/).map((word) => word.toLowerCase()))
  return common
}

let common: ReadonlySet<string> | undefined

const PIECE =
  /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+|\d+|\s+|[!-/:-@[-`{-~]+|[^\p{ASCII}\u00c0-\u024f\u1e00-\u1eff\s]+|\p{Cc}+/gu
const HUMP = /[A-Z]+(?![a-z\u00df-\u024f])|[A-Z]?[^A-Z]+/g
const ENDING = /(?:s|es|d|ed|ing|ly|r|er)$/
const VOWELS = "aeiouy"
const BLANK = 0x20
const LAST_ASCII = 0x7f
const DIGITS_PER_TOKEN = 3
const LETTERS_PER_DENSE_TOKEN = 1.65
const LETTERS_PER_ENCODED_TOKEN = 1.25
const LETTERS_PER_KNOWN_CAPITALS = 4
const LETTERS_PER_CAPITALS_TOKEN = 2
const TOKENS_PER_ENDED_WORD = 1.3
const TOKENS_PER_SIGN = 0.85
const TOKENS_PER_PUNCTUATION = 0.75
// How many tokens the punctuation of compact JSON costs, in all vocabularies.
const JSON_SEAMS: ReadonlyMap<string, number> = new Map([
  ['{"', 1],
  ['":"', 1],
  ['","', 1],
  ['":{"', 1],
  ['":["', 1],
  ['"},"', 2],
  ['"}},"', 2],
  ['"]},"', 2],
  ['.","', 1],
  ['"]}}}', 3],
])
const TOKENS_PER_ASTRAL = 3
const TOKENS_PER_SINGLE = 1.02
const MARGIN = 1.02

interface Rates {
  /** Letters per token, in words that are not common. */
  letters: number
  /** Extra tokens per accented letter: Western European (é, ü); Polish, Turkish; Vietnamese, Yoruba. */
  accents: readonly [number, number, number]
}

const RATES: Readonly<Record<"any" | "o200k", Rates>> = {
  any: { letters: 2.25, accents: [0.5, 0.95, 1.5] },
  o200k: { letters: 2.6, accents: [0.4, 0.8, 0.9] },
}
// Matches `gpt-4o`, `openai/gpt-5-mini`, `o3` and `azure/o4-mini`. `gpt-4`, `gpt-4-turbo` and `gpt-3.5` use cl100k.
const O200K_MODEL =
  /(?:^|[/.:@_-])(?:(?:chatgpt|gpt)-?(?:4o|4\.[15]|4-[15](?!\d)|[5-9](?!\d))|gpt-oss|o[1-9](?:-(?:mini|pro|preview|deep)|$|[:@-]\d)|codex-mini)/i

/** A script's last code point, its tokens per character by vocabulary, and characters that are one token in all. */
type Script = readonly [last: number, any: number, o200k: number, single?: string]
const SCRIPTS: readonly Script[] = [
  [0x2ff, 1.25, 1.25], // Latin signs
  [0x36f, 2.08, 1.3], // Accents that stand alone
  [0x3ff, 2, 0.54, "άέήίαβγδεηθικλμνοπρςστυφχωό"], // Greek
  [0x40f, 1.66, 0.8],
  [0x44f, 0.6, 0.44], // Cyrillic
  [0x52f, 2.08, 0.8],
  [0x58f, 2.29, 0.52], // Armenian
  [0x5cf, 1.32, 1.32], // Points of Hebrew
  [0x5ff, 2, 0.53, "אבדהוחילמנערשת"], // Hebrew
  [0x64a, 0.99, 0.47], // Arabic
  [0x670, 0.99, 0.99], // Points of Arabic
  [0x6ff, 1.87, 0.98], // Persian, Urdu
  [0x8ff, 2.29, 2.29],
  [0x97f, 2, 0.48, "ंकतनपमरलसहािीुेो्"], // Devanagari
  [0x9ff, 2.29, 0.53], // Bengali
  [0xa7f, 2.29, 0.8], // Gurmukhi
  [0xaff, 2.29, 0.55], // Gujarati
  [0xb7f, 2.29, 1.5], // Oriya
  [0xbff, 2.29, 0.53], // Tamil
  [0xc7f, 2.29, 0.53], // Telugu
  [0xcff, 2.29, 0.53], // Kannada
  [0xd7f, 2.29, 0.53], // Malayalam
  [0xdff, 2.29, 0.85], // Sinhala
  [0xe7f, 1.07, 0.52], // Thai
  [0x109f, 2.29, 2.29],
  [0x10ff, 2.29, 0.52], // Georgian
  [0x177f, 2.29, 2.29],
  [0x17ff, 2.29, 0.9], // Khmer
  [0x1fff, 2.29, 2.29],
  [0x2bff, 1.56, 1.56], // Arrows, dashes, signs
  [0x2fff, 2.08, 2.08],
  [0x303f, 1.04, 1.04], // Punctuation of East Asia
  [0x30ff, 1.12, 1], // Kana
  [0x33ff, 2.08, 2.08],
  [0x9fff, 1.31, 1.1], // Han
  [0xabff, 2.6, 2.6],
  [0xd7ff, 1.35, 0.9], // Hangul
  [0xfeff, 1.56, 1.56],
  [0xffef, 1.14, 1.14], // Punctuation of full width
  [0xffff, 2.08, 2.08],
]
