import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { asksWhy, REASONS } from "./asks-why.ts"
import { type Candidate, candidatesFor, replacementsOf } from "./candidates.ts"
import { FAILED_TASK } from "./failed-task.ts"
import { explain, type Match, matchIn } from "./match.ts"
import { withMemIndex } from "./mem-index.ts"
import { type Found, type Ranking, rank } from "./rank.ts"
import type { Entry } from "./term-index.ts"
import { queryTerms } from "./terms.ts"
import { memReader, type ReadMem } from "./texts.ts"
import type { WordIndex } from "./word-index.ts"

export interface RecallOptions {
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
  /** How telling the words are that stand in it: 1 is a word that no other mem has. Tells hits of several queries apart. */
  worth: number
  /** The words of the query that stand in it, or in the mem that it replaces. None: it only belongs to one that has some. */
  words: string[]
  /** Words that no mem has, each with what stands for it in this one: `stripe ≈ strikes`. */
  near: string[]
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
export function recall(
  { store }: Pick<Hive, "store">,
  query: string,
  options: RecallOptions = {},
): Promise<Hit[]> {
  if (queryTerms(query).length === 0) return Promise.resolve([])
  return withMemIndex(store, function* (index) {
    const { mem: hot } = store.read().state
    const { read, close } = memReader(store, index)
    try {
      return yield* search({ index, read, isHot: (id) => hot.has(id) }, query, options)
    } finally {
      close()
    }
  })
}

/** Where mems are looked for: an index of them, and how each is read. */
export interface Searched {
  index: WordIndex
  read: ReadMem
  isHot: (id: string) => boolean
}

/** The mems of an index that a query is about, the best first. */
export function* search(
  { index, read, isHot }: Searched,
  query: string,
  { limit = DEFAULT_LIMIT, kinds, isArchived }: RecallOptions,
): Pausing<Hit[]> {
  const isWhy = asksWhy(query)
  // What is shown for a match has to be of the kind that was asked for.
  const isShown = ({ id, kind }: Entry) =>
    (kinds === undefined || kinds.some((wanted) => wanted === kind)) && (isArchived !== true || !isHot(id))
  const isFiltered = kinds !== undefined || isArchived === true
  const isWanted = (doc: number) => {
    // Its entry would be read from a file, which takes long for the hundreds that are looked at.
    if (!isFiltered && !index.isInMemory(doc)) return true
    const matched = index.entry(doc)
    if (matched === undefined || matched.kind === FAILED_TASK) return false
    return !isFiltered || replacementsOf(index, matched).some(isShown)
  }
  const ranking = yield* rank(
    index,
    queryTerms(query),
    limit * CANDIDATES_PER_HIT + MORE_CANDIDATES,
    isWanted,
  )
  const favour = ({ kind }: Entry) => (isWhy && REASONS.some((reason) => reason === kind) ? ASKED_KIND : 1)
  const candidates = candidatesFor(index, ranking, { isWanted, isShown, favour })
  return best(yield* readHits(candidates, ranking, read, limit + MORE_HITS), limit)
}

/** Reads so many of them, which takes longest: those in the archive are in files. */
function* readHits(
  candidates: Candidate[],
  { found, unit }: Ranking,
  read: ReadMem,
  count: number,
): Pausing<Hit[]> {
  const hits: Hit[] = []
  for (const candidate of candidates) {
    if (hits.length >= count) break
    yield
    const mem = read(candidate.entry)
    const replaces = candidate.replaces === null ? null : read(candidate.replaces)
    if (mem === undefined || replaces === undefined) continue
    const match = matchIn((replaces ?? mem).mem, found)
    hits.push({
      mem: mem.mem,
      score: candidate.score + phraseBonus(match, found) * candidate.share,
      share: candidate.share,
      worth: match.worth / unit,
      words: match.words,
      near: [...match.near],
      why: whyOf(candidate, match),
      isArchived: mem.isArchived,
      replaces: replaces?.mem ?? null,
    })
  }
  return hits
}

/** What is much worse than the best is noise. */
function best(hits: Hit[], limit: number): Hit[] {
  const bar = Math.max(...hits.map(({ score }) => score)) * NOISE
  return hits
    .filter(({ score }) => score >= bar)
    .sort((a, b) => b.score - a.score || byNewest(a.mem, b.mem))
    .slice(0, limit)
}

function byNewest(a: Mem, b: Mem): number {
  if (a.created_at !== b.created_at) return a.created_at > b.created_at ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function phraseBonus({ phrases }: Match, found: readonly Found[]): number {
  const worth = (at: number) => found[at]?.worth ?? 0
  return phrases.reduce((sum, at) => sum + (PHRASE * (worth(at) + worth(at + 1))) / 2, 0)
}

function whyOf({ via, replaces }: Candidate, match: Match): string {
  const reasons = explain(match)
  if (via !== null) reasons.push(`${via.tie} ${shortId(via.entry.id)}`)
  if (replaces !== null) reasons.unshift(`replaces ${shortId(replaces.id)}`)
  return reasons.join("; ")
}

const DEFAULT_LIMIT = 10
const CANDIDATES_PER_HIT = 5
const MORE_CANDIDATES = 50
// One behind the last may come before it by a phrase.
const MORE_HITS = 6
const NOISE = 0.1
// A decision that fits not half as well says more about a reason than a note.
const ASKED_KIND = 2.5
const PHRASE = 0.5
