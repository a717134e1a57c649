import { compare } from "../../graph/by-age.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import type { Store } from "../../store/store.ts"
import { type Entry, FAILED_TASK, failedTaskText, isFailedWork } from "../index/index-part.ts"
import { memIndexOf } from "../index/mem-index.ts"
import type { WordIndex } from "../index/word-index.ts"
import type { FoundMem } from "../memory/find.ts"
import { asksWhy, REASONS } from "../words/question.ts"
import { queryTerms } from "../words/terms.ts"
import { type Candidate, candidatesFor, replacementsOf } from "./candidates.ts"
import { explain, type Match, matchIn, phraseBonus } from "./match.ts"
import { type Found, rank } from "./rank.ts"

export interface RecallOptions {
  limit?: number | undefined
  kinds?: readonly Mem["kind"][] | undefined
  isArchived?: boolean | undefined
}

export interface Hit {
  mem: Mem
  /** Comparable only with the other scores of the same query. */
  score: number
  /** Share of the query's words that the mem itself has, 0 to 1; rare words count more. */
  share: number
  /** Sum of the matched words' rarities: 1 for a word that no other mem has. Comparable between queries. */
  worth: number
  /** Matched words of the query; empty if the mem is only related to a match. */
  words: string[]
  /** Words of the query that are in no mem, each with the similar word that was looked up instead: `stripe ≈ strikes`. */
  near: string[]
  why: string
  isArchived: boolean
  /** The older mem that matched, if this mem has replaced it. */
  replaces: Mem | null
}

export interface FailedHit extends Pick<Hit, "score" | "share" | "worth" | "words" | "near" | "why"> {
  task: Task
}

export interface Known {
  mems: Hit[]
  failed: FailedHit[]
  /** Set while archived mems are still being indexed: hits may be missing. */
  notice: string | undefined
}

/** Recalls mems. Failed tasks are included unless only some kinds or archived mems are asked for. */
export async function recallKnown(
  hive: Pick<Hive, "store">,
  query: string,
  options: RecallOptions = {},
): Promise<Known> {
  const mems = await recall(hive, query, options)
  const notice = memIndexOf(hive.store).isPartial() ? PARTIAL : undefined
  if (options.kinds !== undefined || options.isArchived === true) return { mems, failed: [], notice }
  const failed = await recallFailed(hive, query, Math.min(MAX_FAILED, options.limit ?? MAX_FAILED))
  return { mems, failed: failed.filter(({ share }) => share >= MIN_FAILED_SHARE), notice }
}

/** Finds hot and archived mems, best first. A replaced mem leads to its replacement; purged mems are never found. */
export function recall(
  { store }: Pick<Hive, "store">,
  query: string,
  { limit = DEFAULT_LIMIT, kinds, isArchived }: RecallOptions = {},
): Promise<Hit[]> {
  const terms = queryTerms(query)
  if (terms.length === 0) return Promise.resolve([])
  const isWhy = asksWhy(query)
  const isFiltered = kinds !== undefined || isArchived === true
  return memIndexOf(store).use(function* (index) {
    const { mem: hot } = store.read().state
    const isShown = ({ id, kind }: Entry) =>
      (kinds === undefined || kinds.some((wanted) => wanted === kind)) &&
      (isArchived !== true || !hot.has(id))
    const isWanted = (doc: number) => {
      // Failed tasks are only in memory. An entry in a file is always a mem, so it is not read, which would be slow.
      if (!isFiltered && !index.isInMemory(doc)) return true
      const matched = index.entry(doc)
      if (matched === undefined || matched.kind === FAILED_TASK) return false
      return !isFiltered || replacementsOf(index, matched).some(isShown)
    }
    const ranking = yield* rank(index, terms, limit * CANDIDATES_PER_HIT + MORE_CANDIDATES, isWanted)
    const { found, unit } = ranking
    const weightOf = ({ kind }: Entry) =>
      isWhy && REASONS.some((reason) => reason === kind) ? REASON_WEIGHT : 1
    const candidates = candidatesFor(index, ranking, { isWanted, isShown, weightOf })
    const { read, close } = memReader(store, index)
    try {
      const hits: Hit[] = []
      for (const candidate of candidates) {
        if (hits.length >= limit + MORE_HITS) break
        yield
        const mem = read(candidate.entry)
        const replaced = candidate.replaces === null ? null : read(candidate.replaces)
        if (mem !== undefined && replaced !== undefined)
          hits.push(hitOf(candidate, { mem, replaces: replaced }, found, unit))
      }
      return withoutWeak(hits, limit)
    } finally {
      close()
    }
  })
}

export function recallFailed(
  { store }: Pick<Hive, "store">,
  query: string,
  limit: number,
): Promise<FailedHit[]> {
  const terms = queryTerms(query)
  const { task: tasks } = store.read().state
  if (terms.length === 0 || tasks.by("status", "failed").size === 0) return Promise.resolve([])
  return memIndexOf(store).use(function* (index) {
    const isFailed = (doc: number) => index.entry(doc)?.kind === FAILED_TASK
    const ranking = yield* rank(index, terms, limit, isFailed)
    return ranking.best.flatMap(({ doc, score }) => {
      const task = store.read().state.task.get(index.entry(doc)?.id ?? "")
      if (!isFailedWork(task)) return []
      const match = matchIn(failedTaskText(task), ranking.found)
      const share = ranking.shareOf(doc)
      return [{ task, score, share, ...matchFacts(match, ranking.unit), why: explain(match).join("; ") }]
    })
  })
}

function hitOf(
  candidate: Candidate,
  { mem, replaces }: { mem: FoundMem; replaces: FoundMem | null },
  found: readonly Found[],
  unit: number,
): Hit {
  const match = matchIn((replaces ?? mem).mem, found)
  const reasons = explain(match)
  if (candidate.via !== null) reasons.push(`${candidate.via.tie} ${shortId(candidate.via.entry.id)}`)
  if (replaces !== null) reasons.unshift(`replaces ${shortId(replaces.mem.id)}`)
  return {
    mem: mem.mem,
    score: candidate.score + phraseBonus(match, found) * candidate.share,
    share: candidate.share,
    ...matchFacts(match, unit),
    why: reasons.join("; "),
    isArchived: mem.isArchived,
    replaces: replaces?.mem ?? null,
  }
}

function matchFacts({ words, near, worth }: Match, unit: number): Pick<Hit, "words" | "near" | "worth"> {
  return { words, near: [...near], worth: worth / unit }
}

function withoutWeak(hits: Hit[], limit: number): Hit[] {
  const bar = Math.max(...hits.map(({ score }) => score)) * NOISE
  return hits
    .filter(({ score }) => score >= bar)
    .sort((a, b) => b.score - a.score || byNewest(a.mem, b.mem))
    .slice(0, limit)
}

const byNewest = (a: Mem, b: Mem): number => compare(b.created_at, a.created_at) || compare(a.id, b.id)

function memReader(store: Store, index: WordIndex) {
  const { mem: hot } = store.read().state
  let archive: ReturnType<Store["archive"]["lookups"]> | undefined
  const fromArchive = (id: string) => {
    archive ??= store.archive.lookups()
    // `lookups` reads the archive as it was when it was opened. A mem archived since is found by the store.
    return archive.get(id) ?? store.archive.get(id)
  }
  return {
    read(entry: Entry): FoundMem | undefined {
      const here = hot.get(entry.id)
      const mem = here ?? archivedMems.get(entry) ?? fromArchive(entry.id)
      if (mem === undefined || mem.status === "purged") {
        index.remove(entry.id)
        return undefined
      }
      if (here === undefined) {
        if (archivedMems.size >= MAX_KEPT) archivedMems.clear()
        archivedMems.set(entry, mem)
      }
      return { mem, isArchived: here === undefined }
    },
    close: () => archive?.close(),
  }
}

// The key is the index entry: a mem that changes gets a new entry, so cached mems are never outdated.
const archivedMems = new Map<Entry, Mem>()
const MAX_KEPT = 500
const DEFAULT_LIMIT = 10
const CANDIDATES_PER_HIT = 5
const MORE_CANDIDATES = 50
// More hits are scored than asked for, because a matching phrase can move a later candidate up.
const MORE_HITS = 6
const NOISE = 0.1
const REASON_WEIGHT = 2.5
const PARTIAL =
  "The index of archived mems is still being built: some of them may be missing here. Ask again in a minute."
const MAX_FAILED = 3
// The share of the query that a failed task must match. One word of many is too little.
const MIN_FAILED_SHARE = 0.3
