import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { runInSlices } from "../../shared/slices.ts"
import { fold } from "./fold.ts"
import { type Hit, type RecallOptions, recall, search } from "./recall.ts"
import { TermIndex } from "./term-index.ts"
import { eachTerm, queryTerms } from "./terms.ts"

/**
 * Adds what the mems of old files say, those that are still being taken over: they are in no index, so all of them are walked
 * through. Each file is read once more for every question, and no more than the best are held.
 */
export async function recallUnlanded(
  hive: Pick<Hive, "store">,
  query: string,
  options: RecallOptions,
  found: Hit[],
): Promise<Hit[]> {
  if (options.isArchived === true) return found
  const asked = formsIn(query)
  const mems = hive.store.unlanded?.(hasStartOf([...asked.keys()]))
  if (mems === undefined) return found
  const fitting = await fittingMems(mems, asked, options)
  // They have all come into the graph meanwhile.
  if (hive.store.unlanded?.(() => false) === undefined) return recall(hive, query, options)
  const index = new TermIndex()
  for (const mem of fitting.values()) index.put(mem)
  const read = ({ id }: { id: string }) => {
    const mem = fitting.get(id)
    return mem && { mem, isArchived: false }
  }
  const hits = await runInSlices(search({ index, read, isHot: () => true }, query, options))
  const known = new Set(found.map(({ mem }) => mem.id))
  return inOrder(
    found,
    hits.filter(({ mem }) => !known.has(mem.id)),
  ).slice(0, options.limit ?? found.length + hits.length)
}

/** The forms of the query's words, each with the number of its word. */
function formsIn(query: string): Map<string, number> {
  const asked = new Map<string, number>()
  for (const [at, { forms, joined }] of queryTerms(query).entries())
    for (const form of [...forms, ...joined]) asked.set(form, at)
  return asked
}

/** Most mems have none of the words, and taking a text apart takes long: first a look for how these begin. */
function hasStartOf(forms: readonly string[]) {
  const starts = [...new Set(forms.map((form) => form.slice(0, START_LENGTH)))]
  return ({ content, tags }: Pick<Mem, "content" | "tags">) => {
    const text = fold(`${content} ${tags.join(" ")}`.toLowerCase())
    return starts.some((start) => text.includes(start))
  }
}

/** Those with the most words of the query, by id; of equals the newest. */
async function fittingMems(
  mems: AsyncIterable<Mem>,
  asked: ReadonlyMap<string, number>,
  { kinds }: RecallOptions,
): Promise<Map<string, Mem>> {
  let kept: { mem: Mem; words: number }[] = []
  for await (const mem of mems) {
    if (kinds !== undefined && !kinds.includes(mem.kind)) continue
    const words = wordsIn(mem, asked)
    if (words > 0) kept.push({ mem, words })
    if (kept.length >= 2 * MAX_KEPT) kept = best(kept)
  }
  return new Map(best(kept).map(({ mem }) => [mem.id, mem]))
}

function wordsIn(mem: Mem, asked: ReadonlyMap<string, number>): number {
  const words = new Set<number>()
  eachTerm(mem, (term) => {
    const at = asked.get(term)
    if (at !== undefined) words.add(at)
  })
  return words.size
}

function best<T extends { mem: Mem; words: number }>(kept: T[]): T[] {
  const byFit = (a: T, b: T) => b.words - a.words || (a.mem.created_at < b.mem.created_at ? 1 : -1)
  return kept.sort(byFit).slice(0, MAX_KEPT)
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

const MAX_KEPT = 200
// A form without its ending is how most words of its kind begin.
const START_LENGTH = 4
