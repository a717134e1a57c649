import type { Pausing } from "../../shared/slices.ts"
import { nearTerms } from "./near-terms.ts"
import { docOf, weightOf } from "./postings.ts"
import { WORD_WEIGHT } from "./term-index.ts"
import type { QueryTerm } from "./terms.ts"
import type { TermPart, WordIndex } from "./word-index.ts"

interface Ranked {
  doc: number
  score: number
}

/** What of the index stands for a term of the query. */
export interface Found {
  term: QueryTerm
  /** Forms that stand in the index, each with how near it is to what was asked. */
  forms: Map<string, number>
  /** What it is worth to have it: rare terms more. */
  worth: number
}

export interface Ranking {
  found: Found[]
  best: Ranked[]
  scoreOf: (doc: number) => number
  /** The share of the query that a mem answers, by what its words are worth; 1 is all of it. */
  shareOf: (doc: number) => number
  /** What a word that stands in a single mem is worth. */
  unit: number
}

/**
 * Ranks all mems for a query: BM25 with a floor for each term that is there, times the share of the query that a mem
 * answers. So one with two of three words comes before one that repeats a single word.
 */
export function* rank(
  index: WordIndex,
  terms: readonly QueryTerm[],
  count: number,
  isWanted: (doc: number) => boolean,
): Pausing<Ranking> {
  const { scores, shares, met } = sumsOf(index)
  const found = terms.map((term): Found => ({ term, forms: new Map(), worth: 0 }))
  const unit = worthOf(Math.max(1, index.size), 1)
  let total = 0
  for (const [n, each] of found.entries()) {
    yield
    each.forms = yield* formsOf(index, each.term)
    const lists: { part: TermPart; nearness: number }[] = []
    for (const [form, nearness] of each.forms) {
      for (const part of index.parts(form)) lists.push({ part, nearness })
      yield
    }
    const mems = lists.reduce((sum, { part }) => sum + livingIn(part), 0)
    if (mems === 0) {
      // A name that is nowhere was only another way to write its parts.
      if (!(each.term.isName && n + 1 < found.length)) total += unit
      continue
    }
    each.worth = worthOf(index.size, mems)
    total += each.worth
    for (const { part, nearness } of lists)
      for (let from = 0; from < part.items.length; from += SCORED_AT_ONCE) {
        const items = part.items.subarray(from, from + SCORED_AT_ONCE)
        const isOnly = each.forms.size === 1
        addScores(index, { ...part, items }, each.worth * nearness, {
          scores,
          shares,
          met,
          term: n + 1,
          isOnly,
        })
        yield
      }
  }
  const scoreOf = (doc: number) => (total === 0 ? 0 : ((scores[doc] ?? 0) * (shares[doc] ?? 0)) / total)
  const shareOf = (doc: number) => (total === 0 ? 0 : (shares[doc] ?? 0) / total)
  const best = yield* bestOf(index.range, count, { scores, shares, total }, isWanted)
  return { found, best, scoreOf, shareOf, unit }
}

function* formsOf(index: WordIndex, { forms, joined }: QueryTerm): Pausing<Map<string, number>> {
  const exact: string[] = []
  for (const form of [...forms, ...joined]) {
    if (index.parts(form).length > 0) exact.push(form)
    yield
  }
  if (exact.length > 0) return new Map(exact.map((form) => [form, 1]))
  return yield* nearTerms(index, forms.at(-1) ?? "")
}

function livingIn({ items, lengths, hasDead }: TermPart): number {
  if (!hasDead) return items.length
  let living = 0
  for (let n = 0; n < items.length; n++) if (lengths[docOf(items[n] ?? 0)] !== 0) living++
  return living
}

function worthOf(mems: number, having: number): number {
  return Math.log(1 + (mems - having + 0.5) / (having + 0.5))
}

interface Sums {
  scores: Float32Array
  shares: Float32Array
  /** The term that each mem was last found to have, by its number from 1. A query has few. */
  met: Uint8Array
}

/** Kept for the next query, which waits for this one: a megabyte for each would keep the garbage collector at work. */
const sums = new WeakMap<WordIndex, Sums>()

function sumsOf(index: WordIndex): Sums {
  const { range } = index
  const kept = sums.get(index)
  if (kept !== undefined && kept.met.length >= range) {
    for (const each of Object.values(kept)) each.fill(0)
    return kept
  }
  const room = Math.ceil(range * SPARE)
  const made = { scores: new Float32Array(room), shares: new Float32Array(room), met: new Uint8Array(room) }
  sums.set(index, made)
  return made
}

interface Scoring extends Sums {
  term: number
  /** The term has one form, so no mem is met twice. */
  isOnly: boolean
}

function addScores(
  { meanLength }: WordIndex,
  { items, lengths, base }: TermPart,
  worth: number,
  { scores, shares, met, term, isOnly }: Scoring,
): void {
  const perLength = (SATURATION * LENGTH_MATTERS) / meanLength
  const fixed = SATURATION * (1 - LENGTH_MATTERS)
  // Not `for of`: this is the longest loop of a recall, and in a new process it has to run before it is compiled.
  for (let n = 0; n < items.length; n++) {
    const item = items[n] ?? 0
    const own = docOf(item)
    const doc = base + own
    const length = lengths[own] ?? 0
    // Whoever has a term in several forms has it once.
    if (length === 0 || (!isOnly && met[doc] === term)) continue
    if (!isOnly) met[doc] = term
    const times = weightOf(item) / WORD_WEIGHT
    const score = FLOOR + (times * (SATURATION + 1)) / (times + fixed + perLength * length)
    scores[doc] = (scores[doc] ?? 0) + worth * score
    shares[doc] = (shares[doc] ?? 0) + worth
  }
}

/** The best so many, the best first; of equals, the one that was there first. */
function* bestOf(
  range: number,
  count: number,
  { scores, shares, total }: Pick<Sums, "scores" | "shares"> & { total: number },
  isWanted: (doc: number) => boolean,
): Pausing<Ranked[]> {
  let best: Ranked[] = []
  let bar = 0
  const cut = () => {
    best.sort((a, b) => b.score - a.score || a.doc - b.doc)
    best = best.slice(0, count)
    if (best.length === count) bar = best.at(-1)?.score ?? 0
  }
  const look = (from: number, to: number) => {
    for (let doc = from; doc < to; doc++) {
      const sum = scores[doc] ?? 0
      if (sum === 0) continue
      const score = (sum * (shares[doc] ?? 0)) / total
      if (score <= bar || !isWanted(doc)) continue
      best.push({ doc, score })
      // Sorted now and then: most of what comes is not among the best.
      if (best.length >= count * 4) cut()
    }
  }
  for (let from = 0; from < range; from += PAUSE_EVERY) {
    yield
    look(from, Math.min(range, from + PAUSE_EVERY))
  }
  cut()
  return best
}

const SCORED_AT_ONCE = 50_000
const PAUSE_EVERY = 10_000
// Mems come one by one.
const SPARE = 1.1
// BM25 by its usual names: k1, b, and the floor of BM25+.
const SATURATION = 1.2
const LENGTH_MATTERS = 0.7
const FLOOR = 0.5
