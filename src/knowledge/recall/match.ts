import { eachTerm, type Field, type QueryTerm, type Texts } from "../words/terms.ts"
import type { Found } from "./rank.ts"

export interface Match {
  /** Matched words as the query spells them; similar words are in `near`. */
  words: string[]
  /** Matched words as the mem spells them. */
  fields: Map<Field, Set<string>>
  /** The query terms (by index) whose next term in the query also follows them in the mem. */
  phrases: number[]
  /** Similar words that were found in place of exact ones, such as `stripe ≈ strikes`. */
  near: Set<string>
  worth: number
}

export function matchIn(mem: Texts, found: readonly Found[]): Match {
  // The query terms (by index) that each word form stands for. A joined form such as `sourcemap` stands for two terms.
  const numbers = new Map<string, number[]>()
  for (const [n, { forms }] of found.entries())
    for (const form of forms.keys()) numbers.set(form, [...(numbers.get(form) ?? []), n])
  const match: Match = { words: [], fields: new Map(), phrases: [], near: new Set(), worth: 0 }
  const places = new Map<number, number[]>()
  const nearnesses = new Map<number, number>()
  const joined: { number: number; field: Field; shown: string }[] = []
  const show = (field: Field, shown: string) =>
    match.fields.set(field, (match.fields.get(field) ?? new Set()).add(shown.toLowerCase()))
  eachTerm(mem, (term, field, at, shown) => {
    for (const number of numbers.get(term) ?? []) {
      const { term: asked, forms } = found[number] ?? {}
      if (asked?.joined.includes(term)) {
        joined.push({ number, field, shown })
        continue
      }
      show(field, shown)
      if (field === "words") places.set(number, [...(places.get(number) ?? []), at])
      const nearness = forms?.get(term) ?? 1
      nearnesses.set(number, Math.max(nearnesses.get(number) ?? 0, nearness))
      if (asked !== undefined && nearness < 1) match.near.add(`${asked.shown} ≈ ${shown}`)
    }
  })
  for (const { number, field, shown } of joined)
    if (!nearnesses.has(number)) {
      show(field, shown)
      nearnesses.set(number, 1)
    }
  let name: QueryTerm | undefined
  for (const [n, { term, worth }] of found.entries()) {
    const nearness = nearnesses.get(n)
    if (term.isName && nearness !== undefined) name = term
    // `macOS` counts once, not again for each of its parts.
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

export function explain({ fields, near }: Match): string[] {
  const reasons: string[] = []
  for (const [field, words] of fields) reasons.push(`${field}: ${[...words].slice(0, MAX_SHOWN).join(", ")}`)
  if (near.size > 0) reasons.push([...near].slice(0, MAX_SHOWN).join(", "))
  return reasons
}

export function phraseBonus({ phrases }: Match, found: readonly Found[]): number {
  const worth = (at: number) => found[at]?.worth ?? 0
  return phrases.reduce((sum, at) => sum + (PHRASE * (worth(at) + worth(at + 1))) / 2, 0)
}

const PHRASE = 0.5
const MAX_GAP = 2
const MAX_PARTS = 5
const MAX_SHOWN = 8
