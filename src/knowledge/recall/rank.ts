import type { Pausing } from "../../shared/slices.ts"
import { docOf, weightOf } from "../index/index-part.ts"
import { WORD_WEIGHT } from "../index/memory-part.ts"
import type { TermPart, WordIndex } from "../index/word-index.ts"
import type { QueryTerm } from "../words/terms.ts"

interface Ranked {
  doc: number
  score: number
}

export interface Found {
  term: QueryTerm
  /** Forms of the term in the index, each with its similarity (1: the term itself). */
  forms: Map<string, number>
  /** The term's rarity: its IDF as in BM25. */
  worth: number
}

export interface Ranking {
  found: Found[]
  best: Ranked[]
  scoreOf: (doc: number) => number
  /** The share of the query's words that a mem has, 0 to 1; rare words count more. */
  shareOf: (doc: number) => number
  /** The rarity of a word that only one mem has. */
  unit: number
}

/** Values per mem. The arrays are reused by the next query, because allocating megabytes each time would be slow. */
interface Sums {
  scores: Float32Array
  shares: Float32Array
  /** The last query term (from 1) found in each mem, so that several forms of one term count once. */
  lastTerm: Uint8Array
}
const sumsByIndex = new WeakMap<WordIndex, Sums>()

/** Ranks by BM25+ times the share of the query: a mem with two of three words comes before one that repeats one word. */
export function* rank(
  index: WordIndex,
  terms: readonly QueryTerm[],
  count: number,
  isWanted: (doc: number) => boolean,
): Pausing<Ranking> {
  const sums = emptySums(index)
  const { scores, shares } = sums
  const found = terms.map((term): Found => ({ term, forms: new Map(), worth: 0 }))
  const unit = rarity(Math.max(1, index.size), 1)
  let total = 0
  for (const [n, each] of found.entries()) {
    yield
    each.forms = yield* formsOf(index, each.term)
    const lists: { part: TermPart; nearness: number }[] = []
    for (const [form, nearness] of each.forms) {
      for (const part of index.parts(form)) lists.push({ part, nearness })
      yield
    }
    const mems = lists.reduce((sum, { part }) => sum + presentIn(part), 0)
    if (mems === 0) {
      // A name such as `macOS` that no mem has adds nothing to `total`, because its parts follow as terms of their own.
      if (!(each.term.isName && n + 1 < found.length)) total += unit
      continue
    }
    each.worth = rarity(index.size, mems)
    total += each.worth
    for (const { part, nearness } of lists)
      for (let from = 0; from < part.items.length; from += SCORED_AT_ONCE) {
        const items = part.items.subarray(from, from + SCORED_AT_ONCE)
        addScores(sums, { ...part, items }, { term: n + 1, worth: each.worth * nearness }, index.meanLength)
        yield
      }
  }
  const shareOf = (doc: number) => (total === 0 ? 0 : (shares[doc] ?? 0) / total)
  const scoreOf = (doc: number) => (scores[doc] ?? 0) * shareOf(doc)
  const best = total === 0 ? [] : yield* bestOf(index.range, count, { scores, shares, total }, isWanted)
  return { found, best, scoreOf, shareOf, unit }
}

function emptySums(index: WordIndex): Sums {
  const kept = sumsByIndex.get(index)
  if (kept !== undefined && kept.lastTerm.length >= index.range) {
    for (const each of Object.values(kept)) each.fill(0)
    return kept
  }
  const room = Math.ceil(index.range * SPARE)
  const sums = {
    scores: new Float32Array(room),
    shares: new Float32Array(room),
    lastTerm: new Uint8Array(room),
  }
  sumsByIndex.set(index, sums)
  return sums
}

function* formsOf(index: WordIndex, { forms, joined }: QueryTerm): Pausing<Map<string, number>> {
  const exact: string[] = []
  for (const form of [...forms, ...joined]) {
    if (index.parts(form).length > 0) exact.push(form)
    yield
  }
  if (exact.length > 0) return new Map(exact.map((form) => [form, 1]))
  return yield* similarTerms(index, forms.at(-1) ?? "")
}

function presentIn({ items, lengths, hasRemoved }: TermPart): number {
  if (!hasRemoved) return items.length
  let present = 0
  for (let n = 0; n < items.length; n++) if (lengths[docOf(items[n] ?? 0)] !== 0) present++
  return present
}

const rarity = (mems: number, having: number): number => Math.log(1 + (mems - having + 0.5) / (having + 0.5))

function addScores(
  { scores, shares, lastTerm }: Sums,
  { items, lengths, base }: TermPart,
  { term, worth }: { term: number; worth: number },
  meanLength: number,
): void {
  const perLength = (SATURATION * LENGTH_MATTERS) / meanLength
  const fixed = SATURATION * (1 - LENGTH_MATTERS)
  // An index loop is faster than `for of` before the JIT compiles it; this is the longest loop of a recall.
  for (let n = 0; n < items.length; n++) {
    const item = items[n] ?? 0
    const own = docOf(item)
    const doc = base + own
    const length = lengths[own] ?? 0
    if (length === 0 || lastTerm[doc] === term) continue
    lastTerm[doc] = term
    const times = weightOf(item) / WORD_WEIGHT
    const score = FLOOR + (times * (SATURATION + 1)) / (times + fixed + perLength * length)
    scores[doc] = (scores[doc] ?? 0) + worth * score
    shares[doc] = (shares[doc] ?? 0) + worth
  }
}

function* bestOf(
  range: number,
  count: number,
  { scores, shares, total }: Pick<Sums, "scores" | "shares"> & { total: number },
  isWanted: (doc: number) => boolean,
): Pausing<Ranked[]> {
  let best: Ranked[] = []
  let bar = 0
  const cut = () => {
    best = best.sort((a, b) => b.score - a.score || a.doc - b.doc).slice(0, count)
    if (best.length === count) bar = best.at(-1)?.score ?? 0
  }
  const look = (from: number, to: number) => {
    for (let doc = from; doc < to; doc++) {
      const sum = scores[doc] ?? 0
      if (sum === 0) continue
      const score = (sum * (shares[doc] ?? 0)) / total
      if (score <= bar || !isWanted(doc)) continue
      best.push({ doc, score })
      if (best.length >= count * 4) cut()
    }
  }
  for (let from = 0; from < range; from += RANKED_AT_ONCE) {
    yield
    look(from, Math.min(range, from + RANKED_AT_ONCE))
  }
  cut()
  return best
}

/** Finds terms with another ending or with a typo, for a word that no mem has; each with its similarity (below 1). */
function* similarTerms(index: WordIndex, wanted: string): Pausing<Map<string, number>> {
  const found = new Map<string, number>()
  const isWord = /^\p{L}+$/u.test(wanted)
  let looked = 0
  for (const term of index.termsLike(wanted)) {
    let nearness = 0
    if (term.startsWith(wanted)) nearness = wanted.length / term.length
    else if (isWord) nearness = similarity(wanted, term)
    if (nearness >= MIN_NEARNESS) found.set(term, nearness * SIMILAR_WEIGHT)
    if (++looked % COMPARED_AT_ONCE === 0) yield
  }
  const nearest = new Map<string, number>()
  for (const [term, nearness] of [...found].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))) {
    if (nearest.size >= MAX_SIMILAR) break
    if (index.parts(term).length > 0) nearest.set(term, nearness)
    yield
  }
  return nearest
}

function similarity(wanted: string, term: string): number {
  if (wanted.length < MIN_CHARS || term.length < MIN_CHARS) return 0
  const longer = Math.max(wanted.length, term.length)
  let same = 0
  while (same < wanted.length && wanted[same] === term[same]) same++
  if (same >= MIN_CHARS && longer - same <= MAX_ENDING && same / longer >= MIN_SAME_START)
    return same / longer
  const allowed = longer >= LONG_WORD ? 2 : 1
  const distance = editDistance(wanted, term, allowed)
  return distance <= allowed ? 1 - distance / longer : 0
}

/** The number of edits between two words, a swap of neighbouring letters being one. Stops at more than `most`. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      next.push(cost)
    }
    if (Math.min(...next) > most) return most + 1
    before = row
    row = next
  }
  return row[b.length] ?? most + 1
}

const SCORED_AT_ONCE = 50_000
const RANKED_AT_ONCE = 10_000
const COMPARED_AT_ONCE = 200
// The arrays get 10 % spare room for mems that are added before the next query.
const SPARE = 1.1
// The parameters of BM25+: k1, b and delta.
const SATURATION = 1.2
const LENGTH_MATTERS = 0.7
const FLOOR = 0.5
const MIN_NEARNESS = 0.6
const SIMILAR_WEIGHT = 0.6
const MAX_SIMILAR = 8
const MIN_CHARS = 4
const MAX_ENDING = 3
const MIN_SAME_START = 0.7
const LONG_WORD = 8
