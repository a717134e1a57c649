import type { Pausing } from "../../shared/slices.ts"
import type { WordIndex } from "./word-index.ts"

/**
 * Terms that are nearly the one that was asked for, and how near (below 1): another ending, or a slip of the keyboard.
 * Only for a term that is found nowhere: where the word itself stands somewhere, that is what was meant.
 */
export function* nearTerms(index: WordIndex, wanted: string): Pausing<Map<string, number>> {
  const found = new Map<string, number>()
  let looked = 0
  const isWord = /^\p{L}+$/u.test(wanted)
  for (const term of index.termsLike(wanted)) {
    const nearness = term.startsWith(wanted)
      ? wanted.length / term.length
      : isWord
        ? wordNearness(wanted, term)
        : 0
    if (nearness >= LEAST) found.set(term, nearness * DISCOUNT)
    if (++looked % PAUSE_EVERY === 0) yield
  }
  const nearest = new Map<string, number>()
  for (const [term, nearness] of [...found].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))) {
    if (nearest.size >= MAX_NEAR) break
    // Those that had it may be gone.
    if (index.parts(term).length > 0) nearest.set(term, nearness)
    yield
  }
  return nearest
}

function wordNearness(wanted: string, term: string): number {
  if (wanted.length < MIN_CHARS || term.length < MIN_CHARS) return 0
  const longer = Math.max(wanted.length, term.length)
  let same = 0
  while (same < wanted.length && wanted[same] === term[same]) same++
  // Another ending: most of both is the same, and what differs is short.
  if (same >= MIN_CHARS && longer - same <= MAX_ENDING && same / longer >= MOST) return same / longer
  const allowed = longer >= LONG_WORD ? 2 : 1
  const distance = editDistance(wanted, term, allowed)
  return distance <= allowed ? 1 - distance / longer : 0
}

/** How many letters have to be changed, added, left out or swapped with the next one; more than `most` is only "more". */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      next.push(cost)
      least = Math.min(least, cost)
    }
    if (least > most) return most + 1
    before = row
    row = next
  }
  return row[b.length] ?? most + 1
}

const PAUSE_EVERY = 200
const LEAST = 0.6
const MOST = 0.7
const DISCOUNT = 0.6
const MAX_NEAR = 8
const MIN_CHARS = 4
const MAX_ENDING = 3
const LONG_WORD = 8
