import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type Candidate, candidatesFor } from "./candidates.ts"
import { explain, type Match, matchIn } from "./match.ts"
import { memIndex } from "./mem-index.ts"
import { type Found, rank } from "./rank.ts"
import type { TermIndex } from "./term-index.ts"
import { queryTerms } from "./terms.ts"

interface RecallOptions {
  /** At most so many; 10 where nothing is said. */
  limit?: number | undefined
  kinds?: readonly Mem["kind"][] | undefined
  /** Only those that left the hot set. */
  isArchived?: boolean | undefined
}

export interface Hit {
  mem: Mem
  /** For comparing hits of one query. */
  score: number
  /** How much of the query it answers by its own words, 0 to 1: rare words count more. */
  share: number
  /** The words of the query that stand in it, or in the mem that it replaces. None: it only belongs to one that has some. */
  words: string[]
  /** Which words matched where, or what it belongs to. */
  why: string
  isArchived: boolean
  /** The mem that matched, and that this one has replaced. */
  replaces: Mem | null
}

/**
 * The mems that a query is about, the best first: hot and archived ones alike, with what is linked to them. Of one that
 * was replaced, the replacement is the hit. Purged ones are never found.
 */
export async function recall(hive: Hive, query: string, options: RecallOptions = {}): Promise<Hit[]> {
  const { store } = hive
  const limit = options.limit ?? DEFAULT_LIMIT
  const index = await memIndex(store)
  const { mem: hot } = store.read().state
  const isWanted = (doc: number) => {
    const entry = index.entry(doc)
    if (entry === undefined || (options.kinds !== undefined && !options.kinds.includes(entry.kind)))
      return false
    return options.isArchived !== true || !hot.has(entry.id)
  }
  const ranking = rank(index, queryTerms(query), limit * CANDIDATES_PER_HIT + MORE_CANDIDATES, isWanted)
  const hits: Hit[] = []
  for (const candidate of candidatesFor(index, ranking, isWanted).slice(0, limit * 2 + MORE_HITS)) {
    const mem = memOf(index, candidate.doc)
    const replaced = candidate.replaces === undefined ? undefined : memOf(index, candidate.replaces)
    if (mem === undefined || (candidate.replaces !== undefined && replaced === undefined)) continue
    const match = matchIn(replaced ?? mem, ranking.found)
    hits.push({
      mem,
      score: candidate.score + phraseBonus(match, ranking.found) * candidate.share,
      share: candidate.share,
      words: match.words,
      why: whyOf(index, candidate, match),
      isArchived: !hot.has(mem.id),
      replaces: replaced ?? null,
    })
  }
  return best(hits, limit)

  function memOf(terms: TermIndex, doc: number): Mem | undefined {
    const id = terms.entry(doc)?.id ?? ""
    const mem = hot.get(id) ?? store.archive.get(id)
    // It was taken back, or purged by another process.
    if (mem === undefined || mem.status === "purged") terms.remove(id)
    return mem?.status === "purged" ? undefined : mem
  }
}

/** What is much worse than the best is noise. Equals go by age, the newest first. */
function best(hits: Hit[], limit: number): Hit[] {
  hits.sort(
    (a, b) =>
      b.score - a.score ||
      (a.mem.created_at === b.mem.created_at
        ? a.mem.id < b.mem.id
          ? -1
          : 1
        : a.mem.created_at > b.mem.created_at
          ? -1
          : 1),
  )
  const bar = (hits[0]?.score ?? 0) * NOISE
  return hits.filter(({ score }) => score >= bar).slice(0, limit)
}

function phraseBonus({ phrases }: Match, found: readonly Found[]): number {
  return phrases.reduce((sum, at) => sum + ((found[at]?.worth ?? 0) + (found[at + 1]?.worth ?? 0)) / 4, 0)
}

function whyOf(index: TermIndex, { via, replaces }: Candidate, match: Match): string {
  const reasons = explain(match)
  const short = (doc: number) => (index.entry(doc)?.id ?? "").slice(0, 8)
  if (via !== undefined) reasons.push(`${via.tie} ${short(via.doc)}`)
  if (replaces !== undefined) reasons.unshift(`replaces ${short(replaces)}`)
  return reasons.join("; ")
}

const DEFAULT_LIMIT = 10
const CANDIDATES_PER_HIT = 5
const MORE_CANDIDATES = 50
const MORE_HITS = 10
const NOISE = 0.1
