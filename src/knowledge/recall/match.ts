import type { Found } from "./rank.ts"
import { eachTerm, type Field, type QueryTerm, type Texts } from "./terms.ts"

/** What of a query stands in a mem, and where. */
export interface Match {
  /** Words of the query that stand in it, as they were asked; not those that are only nearly there. */
  words: string[]
  /** As the mem writes them, by field. */
  fields: Map<Field, Set<string>>
  /** Which terms of the query stand beside the next one in the mem as in the query. */
  phrases: number[]
  /** Words that were not found anywhere, with what stands for them here. */
  near: Set<string>
  /** What the words that stand in it are worth together. */
  worth: number
}

export function matchIn(mem: Texts, found: readonly Found[]): Match {
  // What is written as one stands for two.
  const numbers = new Map<string, number[]>()
  for (const [n, { forms }] of found.entries())
    for (const form of forms.keys()) numbers.set(form, [...(numbers.get(form) ?? []), n])
  const match: Match = { words: [], fields: new Map(), phrases: [], near: new Set(), worth: 0 }
  const places = new Map<number, number[]>()
  const asked = new Map<number, number>()
  const show = (field: Field, shown: string) =>
    match.fields.set(field, (match.fields.get(field) ?? new Set()).add(shown.toLowerCase()))
  const joined: { number: number; field: Field; shown: string }[] = []
  eachTerm(mem, (term, field, at, shown) => {
    for (const number of numbers.get(term) ?? []) {
      const { term: word, forms } = found[number] ?? {}
      if (word?.joined.includes(term)) {
        joined.push({ number, field, shown })
        continue
      }
      show(field, shown)
      if (field === "words") places.set(number, [...(places.get(number) ?? []), at])
      const nearness = forms?.get(term) ?? 1
      asked.set(number, Math.max(asked.get(number) ?? 0, nearness))
      if (word !== undefined && nearness < 1) match.near.add(`${word.shown} ≈ ${shown}`)
    }
  })
  // A name gives its parts too, and they say enough.
  for (const { number, field, shown } of joined)
    if (!asked.has(number)) {
      show(field, shown)
      asked.set(number, 1)
    }
  let name: QueryTerm | undefined
  for (const [n, { term, worth }] of found.entries()) {
    const nearness = asked.get(n)
    if (term.isName && nearness !== undefined) name = term
    // Who has the whole name has said it once: `macOS` is not three words.
    if (nearness !== undefined && !isPartOf(term, name)) {
      if (nearness === 1) match.words.push(term.shown)
      match.worth += worth * nearness
    }
    const next = found[n + 1]
    if (next === undefined || next.term.at - term.at > MAX_GAP) continue
    const after = new Set(places.get(n + 1))
    if ((places.get(n) ?? []).some((at) => after.has(at + 1) || after.has(at + MAX_GAP)))
      match.phrases.push(n)
  }
  return match
}

function isPartOf({ shown, at }: QueryTerm, name: QueryTerm | undefined): boolean {
  if (name === undefined || at <= name.at || at > name.at + MAX_PARTS) return false
  return name.shown.toLowerCase().includes(shown.toLowerCase())
}

/** In a few words. */
export function explain({ fields, near }: Match): string[] {
  const reasons: string[] = []
  for (const [field, words] of fields) reasons.push(`${field}: ${[...words].slice(0, MAX_SHOWN).join(", ")}`)
  if (near.size > 0) reasons.push([...near].slice(0, MAX_SHOWN).join(", "))
  return reasons
}

const MAX_GAP = 2
const MAX_PARTS = 5
const MAX_SHOWN = 8
