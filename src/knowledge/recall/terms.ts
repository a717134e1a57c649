import type { Mem } from "../../schemas/knowledge.ts"
import { readEvidence } from "../../shared/evidence-ref.ts"
import { fold } from "./fold.ts"
import { isFunctionWord, languageOf } from "./function-words.ts"
import { initialsIn } from "./initials.ts"
import { wordOf } from "./word.ts"
import { wordsOf } from "./words.ts"

/** The fields of a mem that are looked in. */
export type Field = "words" | "tags" | "files"

/** Where the words of a mem stand. */
export type Texts = Pick<Mem, "content" | "tags" | "evidence" | "reason">

/** Gets a term with its field, its place among the words there, and how the text has it. */
type TakeTerm = (term: string, field: Field, at: number, shown: string) => void

/** Hands on the terms of a mem as the index holds them. A callback, because there are millions. */
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

/** One thing that a query asks for. It may be written in a text in one of several forms. */
export interface QueryTerm {
  shown: string
  forms: string[]
  /** Written as one with the word before or behind it. */
  joined: string[]
  /** The name of which the terms after it are parts. */
  isName: boolean
  at: number
}

/**
 * What a query asks for. Nobody can tell the language of three words, so each is looked for in both its forms. Two words side
 * by side may be written as one: who asks for a `source map` means a `sourcemap` too.
 */
export function queryTerms(query: string): QueryTerm[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_CHARS))
  const language = languageOf(words)
  const found = new Map<string, QueryTerm>()
  for (const [at, word] of words.entries()) {
    if (isFunctionWord(word, language)) continue
    // As it is, too: `websockets` may be written `WebSockets`, and a name is not stemmed.
    const forms = [...new Set([word.english, fold(word.text), word.other])]
    const key = forms.join(" ")
    if (!found.has(key)) found.set(key, { shown: word.shown, forms, isName: word.isName, at, joined: [] })
    if (found.size >= MAX_QUERY_TERMS) break
  }
  const terms = [...found.values()]
  for (const [n, term] of terms.entries()) {
    const next = terms[n + 1]
    if (next?.at !== term.at + 1 || !isPlain(term) || !isPlain(next)) continue
    const joined = joinedForms(term.shown, next.shown)
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

function joinedForms(first: string, second: string): string[] {
  const { english, other } = wordOf(`${first}${second}`.toLowerCase(), false)
  return [...new Set([english, other])]
}

// A message may be a pasted log: what it is about stands at its beginning.
const MAX_QUERY_CHARS = 4000
const MAX_QUERY_TERMS = 64
const MIN_JOINED = 3
// Beside no other word.
const NOWHERE = Number.NEGATIVE_INFINITY
const LETTERS = /^\p{L}+$/u
