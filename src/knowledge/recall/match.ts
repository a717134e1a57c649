import type { Found } from "./rank.ts"
import { eachTerm, type Field, type Texts } from "./terms.ts"

/** What of a query stands in a mem, and where. */
export interface Match {
  /** Words of the query that stand in it, as they were asked. */
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
  const numbers = new Map<string, number>()
  for (const [n, { forms }] of found.entries())
    for (const form of forms.keys()) if (!numbers.has(form)) numbers.set(form, n)
  const match: Match = { words: [], fields: new Map(), phrases: [], near: new Set(), worth: 0 }
  const places = new Map<number, number[]>()
  const asked = new Map<number, number>()
  eachTerm(mem, (term, field, at, shown) => {
    const number = numbers.get(term)
    if (number === undefined) return
    const words = match.fields.get(field) ?? new Set()
    match.fields.set(field, words.add(shown.toLowerCase()))
    if (field === "words") places.set(number, [...(places.get(number) ?? []), at])
    const { term: word, forms } = found[number] ?? {}
    const nearness = forms?.get(term) ?? 1
    asked.set(number, Math.max(asked.get(number) ?? 0, nearness))
    if (word !== undefined && nearness < 1) match.near.add(`${word.shown} ≈ ${shown}`)
  })
  for (const [n, { term, worth }] of found.entries()) {
    const nearness = asked.get(n)
    if (nearness !== undefined) {
      match.words.push(term.shown)
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

/** In a few words. */
export function explain({ fields, near }: Match): string[] {
  const reasons: string[] = []
  for (const [field, words] of fields) reasons.push(`${field}: ${[...words].slice(0, MAX_SHOWN).join(", ")}`)
  if (near.size > 0) reasons.push([...near].slice(0, MAX_SHOWN).join(", "))
  return reasons
}

const MAX_GAP = 2
const MAX_SHOWN = 8
