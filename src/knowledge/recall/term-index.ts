import type { Mem } from "../../schemas/knowledge.ts"
import type { Pausing } from "../../shared/slices.ts"
import { isUnconfirmed } from "../memory/by-rule.ts"
import { docOf, MAX_DOCS, PostingList, type Postings, posting } from "./postings.ts"
import { SplitMap } from "./split-map.ts"
import { eachTerm, type Field } from "./terms.ts"

/** What is indexed: a mem, or what reads like one. */
export interface Indexed
  extends Pick<
    Mem,
    | "id"
    | "origin_task_id"
    | "status"
    | "origin"
    | "content"
    | "reason"
    | "tags"
    | "evidence"
    | "supersedes"
    | "parent_mem_id"
    | "related_to"
  > {
  kind: Mem["kind"] | "failed task"
}

/** What the index knows of a mem. Its text is where it was: in the graph, or in the archive. */
export interface Entry {
  id: string
  kind: Indexed["kind"]
  task: string | null
  status: Mem["status"]
  supersedes: string | null
  /** The mem that it is a part of: one of its links. */
  parent: string | null
  links: readonly string[]
  isByRule: boolean
}

/**
 * Mems by their terms, in little memory. A mem that goes is only marked; `sweep` takes what is left of it out once that
 * is worth it, and then its number is free.
 */
export class TermIndex {
  /** Terms that begin alike are in one piece: what is nearly a term is looked for there. */
  readonly #terms = new SplitMap<Postings>(startOf)
  readonly #numbers = new SplitMap<number>((id) => Number.parseInt(id.slice(0, 2), 16))
  readonly #entries: (Entry | undefined)[] = []
  /** How long each is; 0 for one that is gone. */
  #lengths = new Uint16Array(1024)
  readonly #free: number[] = []
  #dead = 0
  #totalLength = 0
  readonly #byTask = new Map<string, Set<number>>()
  /** Who names an id as related or as what it is a part of, and who replaces it. */
  readonly #linkedFrom = new Map<string, Set<number>>()
  readonly #replacedBy = new Map<string, Set<number>>()
  /** Of one mem at a time. */
  readonly #weights = new Map<string, number>()

  get size(): number {
    return this.#numbers.size
  }

  /** How long all of them are together. */
  get totalLength(): number {
    return this.#totalLength
  }

  /** One more than the highest number. */
  get range(): number {
    return this.#entries.length
  }

  get lengths(): Uint16Array {
    return this.#lengths
  }

  has(id: string): boolean {
    return this.#numbers.has(id)
  }

  entry(doc: number): Entry | undefined {
    return this.#entries[doc]
  }

  docWith(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  postings(term: string): Postings | undefined {
    return this.#terms.get(term)
  }

  /** Terms that begin with the same two letters. */
  termsLike(term: string): Iterable<string> {
    return this.#terms.piece(term).keys()
  }

  ofTask(task: string): Iterable<number> {
    return this.#byTask.get(task) ?? []
  }

  /** Those that name an id as related, or as what they are a part of. */
  linkedFrom(id: string): Iterable<number> {
    return this.#linkedFrom.get(id) ?? []
  }

  replacements(id: string): Iterable<number> {
    return this.#replacedBy.get(id) ?? []
  }

  /** Puts a mem in the place of what was known of it. */
  put(mem: Indexed): void {
    this.remove(mem.id)
    if (mem.status === "purged" || this.#numbers.size >= MAX_DOCS) return
    const doc = this.#free.pop() ?? this.#entries.length
    const { id, kind, origin_task_id: task, status, supersedes, parent_mem_id: parent, related_to } = mem
    const links = parent === null ? related_to : [parent, ...related_to]
    this.#entries[doc] = { id, kind, task, status, supersedes, parent, links, isByRule: isUnconfirmed(mem) }
    this.#numbers.set(id, doc)
    if (task !== null) addTo(this.#byTask, task, doc)
    if (supersedes !== null) addTo(this.#replacedBy, supersedes, doc)
    for (const link of links) addTo(this.#linkedFrom, link, doc)
    this.#addTerms(doc, mem)
  }

  remove(id: string): void {
    const doc = this.#numbers.get(id)
    const entry = doc === undefined ? undefined : this.#entries[doc]
    if (doc === undefined || entry === undefined) return
    this.#numbers.delete(id)
    this.#entries[doc] = undefined
    this.#totalLength -= this.#lengths[doc] ?? 0
    this.#lengths[doc] = 0
    this.#dead++
    if (entry.task !== null) takeFrom(this.#byTask, entry.task, doc)
    if (entry.supersedes !== null) takeFrom(this.#replacedBy, entry.supersedes, doc)
    for (const link of entry.links) takeFrom(this.#linkedFrom, link, doc)
  }

  /** The ids of all, in their order. */
  sortedIds(): Iterable<string> {
    return this.#numbers.sortedKeys()
  }

  /** What ties mems to tasks and to each other, then the terms; each with the mems that have it, in the order of keys. */
  *sortedTerms(): Iterable<[term: string, items: ArrayLike<number>]> {
    for (const [tie, docs] of [
      [TIES.task, this.#byTask],
      [TIES.link, this.#linkedFrom],
      [TIES.replaces, this.#replacedBy],
    ] as const)
      for (const key of [...docs.keys()].sort())
        yield [tie + key, Array.from(docs.get(key) ?? [], (doc) => posting(doc, 0))]
    for (const term of this.#terms.sortedKeys()) {
      const postings = this.#terms.get(term) ?? []
      yield [term, typeof postings === "number" ? [postings] : postingsOf(postings)]
    }
  }

  /** Whether lists still have mems that are gone. */
  get hasDead(): boolean {
    return this.#dead > 0
  }

  get needsSweep(): boolean {
    return this.#dead > MIN_DEAD && this.#dead * 4 > this.size
  }

  /** Takes out what is left of mems that are gone. Mems that come or go meanwhile are left to the next time. */
  *sweep(): Pausing<void> {
    const dead = new Set<number>()
    const free = new Set(this.#free)
    for (const [doc, entry] of this.#entries.entries())
      if (entry === undefined && !free.has(doc)) dead.add(doc)
    let count = 0
    for (const [term, postings] of this.#terms) {
      if (typeof postings === "number") {
        if (dead.has(docOf(postings))) this.#terms.delete(term)
      } else {
        postings.keep((doc) => !dead.has(doc))
        if (postings.size === 0) this.#terms.delete(term)
        count += postings.size
      }
      if (++count >= SWEPT_AT_ONCE) {
        count = 0
        yield
      }
    }
    for (const doc of dead) this.#free.push(doc)
    this.#dead -= dead.size
  }

  #addTerms(doc: number, mem: Indexed): void {
    const weights = this.#weights
    weights.clear()
    let count = 0
    eachTerm(mem, (term, field) => {
      weights.set(term, (weights.get(term) ?? 0) + FIELD_WEIGHT[field])
      count++
    })
    for (const [term, weight] of weights) {
      const item = posting(doc, weight)
      const before = this.#terms.get(term)
      if (before === undefined) this.#terms.set(term, item)
      else if (typeof before === "number") this.#terms.set(term, new PostingList(before, item))
      else before.add(item)
    }
    if (doc >= this.#lengths.length) {
      const longer = new Uint16Array(this.#lengths.length * 2)
      longer.set(this.#lengths)
      this.#lengths = longer
    }
    const length = Math.min(Math.max(1, count), MAX_LENGTH)
    this.#lengths[doc] = length
    this.#totalLength += length
  }
}

function postingsOf(postings: PostingList | readonly number[]): ArrayLike<number> {
  return postings instanceof PostingList ? postings.items.subarray(0, postings.size) : postings
}

function startOf(term: string): number {
  return (term.charCodeAt(0) << 16) | (term.length > 1 ? term.charCodeAt(1) : 0)
}

function addTo(map: Map<string, Set<number>>, key: string, doc: number): void {
  const docs = map.get(key)
  if (docs === undefined) map.set(key, new Set([doc]))
  else docs.add(doc)
}

function takeFrom(map: Map<string, Set<number>>, key: string, doc: number): void {
  const docs = map.get(key)
  docs?.delete(doc)
  if (docs?.size === 0) map.delete(key)
}

/** In a file, ties stand among the terms, before all that a text can hold. */
export const TIES = { task: "\u0001", link: "\u0002", replaces: "\u0003" }
/** A word of the text weighs so much, one of a tag more: somebody chose it. */
const FIELD_WEIGHT: Record<Field, number> = { words: 4, tags: 6, files: 3 }
/** What a word of the text weighs. */
export const WORD_WEIGHT = FIELD_WEIGHT.words
const MIN_DEAD = 1000
const SWEPT_AT_ONCE = 5000
const MAX_LENGTH = 0xffff
