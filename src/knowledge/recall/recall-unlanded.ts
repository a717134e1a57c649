import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { runInSlices } from "../../shared/slices.ts"
import type { UnlandedMem } from "../../store/store.ts"
import { fold } from "./fold.ts"
import { type Hit, type RecallOptions, recall, search } from "./recall.ts"
import { queryTerms } from "./terms.ts"
import { WordIndex } from "./word-index.ts"

/** With whether all was looked through. */
interface Found {
  mems: Hit[]
  isCut: boolean
}

/**
 * Adds what the mems of old files say, those that are still being taken over: they are in no index, so all of them are walked
 * through. Each file is read once more for every question, for a few seconds at most, and only those that may be its best hits
 * are held.
 */
export async function recallUnlanded(
  hive: Pick<Hive, "store">,
  query: string,
  options: RecallOptions,
  found: Hit[],
): Promise<Found> {
  const mems = options.isArchived === true ? undefined : hive.store.older?.mems()
  if (mems === undefined) return { mems: found, isCut: false }
  const { fitting, isCut } = await fittingMems(mems, query, options)
  // Much may have been written meanwhile.
  await hive.store.ready()
  // They have all come into the graph meanwhile.
  if (hive.store.older?.mems() === undefined)
    return { mems: await recall(hive, query, options), isCut: false }
  const index = new WordIndex()
  for (const mem of fitting.values()) index.put(mem)
  const read = ({ id }: { id: string }) => {
    const mem = fitting.get(id)
    return mem && { mem, isArchived: false }
  }
  const hits = await runInSlices(search({ index, read, isHot: () => true }, query, options))
  const known = new Set(found.map(({ mem }) => mem.id))
  const others = hits.filter(({ mem }) => !known.has(mem.id))
  const limit = options.limit ?? Math.max(found.length, others.length)
  return { mems: inOrder(found, others).slice(0, limit), isCut }
}

/** Those with the most words of the query, and some of each word, which may be a rare one; the newest of them. By id. */
async function fittingMems(
  mems: AsyncIterable<UnlandedMem>,
  query: string,
  { kinds }: RecallOptions,
): Promise<{ fitting: Map<string, Mem>; isCut: boolean }> {
  const until = performance.now() + WALK_MS
  let isCut = false
  const words = wordTests(query)
  const withMost = newestOf(MAX_WITH_MOST)
  const withWord = words.map(() => newestOf(MAX_WITH_WORD))
  for await (const mem of mems) {
    if (kinds !== undefined && !kinds.includes(mem.kind)) continue
    const text = fold(`${mem.content} ${mem.tags.join(" ")}`.toLowerCase())
    let count = 0
    let rank = 0
    for (const [at, { mayBeIn, isWholeIn }] of words.entries()) {
      if (!mayBeIn(text)) continue
      // `ABC-7` is the beginning of ten others.
      const whole = isWholeIn(text) ? 1 : 0
      withWord[at]?.add(mem, whole)
      count++
      rank += 1 + whole
    }
    if (count > 1) withMost.add(mem, rank)
    isCut = performance.now() > until
    if (isCut) break
  }
  const kept = [withMost, ...withWord].flatMap((each) => each.all())
  return { fitting: new Map(kept.flatMap((each) => each.checked() ?? []).map((mem) => [mem.id, mem])), isCut }
}

interface WordTest {
  mayBeIn: (text: string) => boolean
  /** As one of its forms. */
  isWholeIn: (text: string) => boolean
}

/** For each word of the query, whether a text may have it: taking every text apart would take long. */
function wordTests(query: string): WordTest[] {
  return queryTerms(query).map(({ forms, joined }) => {
    const all = [...new Set([...forms, ...joined])]
    const whole = all.map(wholeWord)
    const starts = [...new Set(all.map(startOf))]
    const isWholeIn = (text: string) => whole.some((word) => word.test(text))
    // A short one is within many words.
    const isShort = starts.some((start) => start.length < MIN_WITHIN)
    const mayBeIn = (text: string) =>
      isShort ? isWholeIn(text) : starts.some((start) => text.includes(start))
    return { mayBeIn, isWholeIn }
  })
}

/** How all words of a stem begin: `stori` stands for `story` too. */
function startOf(form: string): string {
  return form.length > MIN_STEM ? form.slice(0, -1) : form
}

function wholeWord(word: string): RegExp {
  const plain = word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, "u")
}

/** Keeps so many: those of the highest rank, and of equals the newest. */
function newestOf(max: number) {
  let kept: { mem: UnlandedMem; rank: number }[] = []
  const cut = () => {
    kept.sort((a, b) => b.rank - a.rank || (a.mem.created_at < b.mem.created_at ? 1 : -1))
    kept = kept.slice(0, max)
  }
  return {
    add(mem: UnlandedMem, rank: number): void {
      kept.push({ mem, rank })
      if (kept.length >= 2 * max) cut()
    },
    all(): UnlandedMem[] {
      cut()
      return kept.map(({ mem }) => mem)
    },
  }
}

/** Scores of two indexes do not compare; how much of the query is answered does. */
function inOrder(known: readonly Hit[], others: readonly Hit[]): Hit[] {
  const hits: Hit[] = []
  let next = 0
  for (const hit of known) {
    for (let other = others[next]; other !== undefined && other.share > hit.share; other = others[next]) {
      hits.push(other)
      next++
    }
    hits.push(hit)
  }
  return [...hits, ...others.slice(next)]
}

// Fifty megabytes, where nothing else goes on.
const WALK_MS = 4000
const MAX_WITH_MOST = 200
const MAX_WITH_WORD = 20
const MIN_STEM = 4
const MIN_WITHIN = 3
