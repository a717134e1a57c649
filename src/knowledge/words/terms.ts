import { type Mem, readEvidence } from "../../schemas/knowledge.ts"
import { isFunctionWord, languageOf } from "./function-words.ts"
import { fold, initialsIn, wordOf, wordsOf } from "./words.ts"

export type Field = "words" | "tags" | "files"

export type Texts = Pick<Mem, "content" | "tags" | "evidence" | "reason">

type TakeTerm = (term: string, field: Field, at: number, shown: string) => void

/** Calls `take` with each term of a mem. It makes no array, because an index has millions of terms. */
export function eachTerm(mem: Texts, take: TakeTerm): void {
  const text = mem.reason === null ? mem.content : `${mem.content}\n${mem.reason}`
  termsIn("words", text, take)
  for (const { letters, from } of initialsIn(text)) take(letters, "words", NOWHERE, from)
  for (const tag of mem.tags) termsIn("tags", tag, take)
  for (const evidence of mem.evidence) termsIn("files", readEvidence(evidence).path, take)
}

function termsIn(field: Field, text: string, take: TakeTerm): void {
  const words = wordsOf(text)
  const language = field === "words" ? languageOf(words) : "en"
  let at = 0
  for (const word of words) {
    if (!isFunctionWord(word, language))
      take(language === "en" ? word.english : word.other, field, at, word.shown)
    at++
  }
}

export interface QueryTerm {
  shown: string
  forms: string[]
  /** The term joined with the one before or after it, as in `sourcemap`, and initials that it is part of. */
  joined: string[]
  /** True for a compound name such as `macOS`; the terms after it are its parts. */
  isName: boolean
  at: number
}

/** Splits a query into terms, in their English and their other form: a few words do not reveal their language. */
export function queryTerms(query: string): QueryTerm[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_CHARS))
  const language = languageOf(words)
  const found = new Map<string, QueryTerm>()
  for (const [at, word] of words.entries()) {
    if (isFunctionWord(word, language)) continue
    // The unstemmed word is a form too: `websockets` may be the name `WebSockets`.
    const forms = [...new Set([word.english, fold(word.text), word.other])]
    const key = forms.join(" ")
    if (!found.has(key)) found.set(key, { shown: word.shown, forms, isName: word.isName, at, joined: [] })
    if (found.size >= MAX_QUERY_TERMS) break
  }
  const terms = [...found.values()]
  for (const [n, term] of terms.entries()) {
    const next = terms[n + 1]
    if (next?.at !== term.at + 1 || !isPlain(term) || !isPlain(next)) continue
    const { english, other } = wordOf(`${term.shown}${next.shown}`.toLowerCase(), false)
    const joined = [...new Set([english, other])]
    term.joined.push(...joined)
    next.joined.push(...joined)
  }
  for (const { letters, from } of initialsIn(query.slice(0, MAX_QUERY_CHARS)))
    for (const term of terms) if (from.split(" ").includes(term.shown)) term.joined.push(letters)
  return terms
}

function isPlain({ shown, isName }: QueryTerm): boolean {
  return !isName && shown.length >= MIN_JOINED && LETTERS.test(shown)
}

// A query longer than this probably contains a pasted log, so the rest is ignored.
const MAX_QUERY_CHARS = 4000
const MAX_QUERY_TERMS = 64
const MIN_JOINED = 3
// The position of initials, which stand next to no word of the text.
const NOWHERE = Number.NEGATIVE_INFINITY
const LETTERS = /^\p{L}+$/u
