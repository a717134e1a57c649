import type { Mem } from "../../schemas/knowledge.ts"
import { isFunctionWord, type Language, languageOf } from "./function-words.ts"
import { plainForm, stem } from "./stem.ts"
import { fold, type Word, wordsOf } from "./words.ts"

/** The fields of a mem that are looked in. */
export type Field = "words" | "tags" | "files"

export interface FieldTerm {
  term: string
  field: Field
  /** Its place among the words of the field; names and their parts share the places of what they are written as. */
  at: number
  shown: string
}

/** The terms of a mem as the index holds them. */
export function memTerms(mem: Pick<Mem, "content" | "tags" | "evidence" | "reason">): FieldTerm[] {
  const terms: FieldTerm[] = []
  add(terms, "words", mem.reason === null ? mem.content : `${mem.content}\n${mem.reason}`)
  for (const tag of mem.tags) add(terms, "tags", tag)
  for (const evidence of mem.evidence) add(terms, "files", evidence.replace(HASH, ""))
  return terms
}

function add(terms: FieldTerm[], field: Field, text: string): void {
  const words = wordsOf(text)
  const language = field === "words" ? languageOf(words.map((word) => word.text)) : "en"
  for (const [at, word] of words.entries()) {
    if (isLeftOut(word, language)) continue
    terms.push({ term: indexForm(word, language), field, at, shown: word.shown })
  }
}

/** One thing that a query asks for. It may be written in a text in one of several forms. */
export interface QueryTerm {
  shown: string
  forms: string[]
  /** The name of which the terms after it are parts. */
  isName: boolean
  at: number
}

/** What a query asks for. Nobody can tell the language of three words, so each is looked for in both its forms. */
export function queryTerms(query: string): QueryTerm[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_CHARS))
  const language = languageOf(words.map((word) => word.text))
  const found = new Map<string, QueryTerm>()
  for (const [at, word] of words.entries()) {
    if (isLeftOut(word, language)) continue
    const forms = word.isName ? [fold(word.text)] : [...new Set([stem(word.text), plainForm(word.text)])]
    const key = forms.join(" ")
    if (!found.has(key)) found.set(key, { shown: word.shown, forms, isName: word.isName, at })
    if (found.size >= MAX_QUERY_TERMS) break
  }
  return [...found.values()]
}

function isLeftOut({ text, isName }: Word, language: Language): boolean {
  return !isName && isFunctionWord(text, language)
}

function indexForm({ text, isName }: Word, language: Language): string {
  if (isName) return fold(text)
  return language === "en" ? stem(text) : plainForm(text)
}

// `path@hash` and `path:line@hash`.
const HASH = /(?::\d+)?@[0-9a-f]{7,64}$/i
// A message may be a pasted log: what it is about stands at its beginning.
const MAX_QUERY_CHARS = 4000
const MAX_QUERY_TERMS = 64
