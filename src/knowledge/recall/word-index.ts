import type { IndexFile } from "./index-file.ts"
import { docOf, PostingList } from "./postings.ts"
import { type Entry, type Indexed, TermIndex, TIES } from "./term-index.ts"

/** The mems of one part of the index that have a term. */
export interface TermPart {
  items: Uint32Array
  /** How long each mem of this part is; 0 for one that does not count any more. */
  lengths: Uint16Array
  hasDead: boolean
  /** What is added to a number of this part to get that in the whole index. */
  base: number
}

function hasLiving({ items, lengths, hasDead }: TermPart): boolean {
  return !hasDead || items.some((item) => lengths[docOf(item)] !== 0)
}

/**
 * All mems by their terms: files of the index, and in memory what has changed since they were written. Each mem counts in
 * one of them only. Numbers of mems begin with those of the files.
 */
export class WordIndex {
  readonly files: readonly IndexFile[]
  readonly memory: TermIndex
  readonly #bases: readonly number[]
  /** Of the query that is under way. */
  readonly #parts = new Map<string, readonly TermPart[]>()

  constructor(files: readonly IndexFile[] = [], memory = new TermIndex()) {
    this.files = files
    this.memory = memory
    let base = 0
    this.#bases = [...files, undefined].map((file) => {
      const own = base
      base += file?.listed.docs ?? 0
      return own
    })
  }

  get size(): number {
    return this.files.reduce((sum, { size }) => sum + size, this.memory.size)
  }

  get meanLength(): number {
    const total = this.files.reduce((sum, { totalLength }) => sum + totalLength, this.memory.totalLength)
    return this.size === 0 ? 1 : total / this.size
  }

  /** One more than the highest number. */
  get range(): number {
    return this.#memoryBase + this.memory.range
  }

  /** True for a mem in memory, or for what reads like one: files hold mems only, and of those all have an entry. */
  isInMemory(doc: number): boolean {
    return doc >= this.#memoryBase
  }

  get #memoryBase(): number {
    return this.#bases.at(-1) ?? 0
  }

  /** Files are read again after that, where that is needed. */
  close(): void {
    this.#parts.clear()
    for (const file of this.files) file.close()
  }

  has(id: string): boolean {
    return this.docWith(id) !== undefined
  }

  docWith(id: string): number | undefined {
    const inMemory = this.memory.docWith(id)
    if (inMemory !== undefined) return this.#memoryBase + inMemory
    for (const [n, file] of this.files.entries()) {
      const doc = file.docWith(id)
      if (doc !== undefined) return (this.#bases[n] ?? 0) + doc
    }
    return undefined
  }

  entry(doc: number): Entry | undefined {
    if (doc >= this.#memoryBase) return this.memory.entry(doc - this.#memoryBase)
    const n = this.#bases.findLastIndex((base, at) => base <= doc && at < this.files.length)
    return this.files[n]?.entry(doc - (this.#bases[n] ?? 0))
  }

  /** Puts a mem in the place of what was known of it. */
  put(mem: Indexed): void {
    this.#kill(mem.id)
    this.memory.put(mem)
  }

  remove(id: string): void {
    this.#kill(id)
    this.memory.remove(id)
  }

  /** Where a term stands; empty where no mem has it. */
  parts(term: string): readonly TermPart[] {
    const known = this.#parts.get(term)
    if (known !== undefined) return known
    const found: TermPart[] = []
    for (const [n, file] of this.files.entries()) {
      const items = file.items(term)
      const { lengths, size, listed } = file
      if (items !== undefined)
        found.push({ items, lengths, hasDead: size < listed.docs, base: this.#bases[n] ?? 0 })
    }
    const postings = this.memory.postings(term)
    if (postings !== undefined) {
      const { lengths, hasDead } = this.memory
      const items =
        postings instanceof PostingList ? postings.items.subarray(0, postings.size) : Uint32Array.of(postings)
      found.push({ items, lengths, hasDead, base: this.#memoryBase })
    }
    const living = found.filter(hasLiving)
    this.#parts.set(term, living)
    return living
  }

  /** Terms that begin with the same two letters. */
  *termsLike(term: string): Iterable<string> {
    yield* this.memory.termsLike(term)
    const start = term.slice(0, 2)
    for (const file of this.files)
      for (const { term: found } of file.terms(start)) {
        if (!found.startsWith(start)) break
        yield found
      }
  }

  *ofTask(task: string): Iterable<number> {
    yield* this.#tied(TIES.task + task)
    for (const doc of this.memory.ofTask(task)) yield this.#memoryBase + doc
  }

  *linkedWith(doc: number): Iterable<number> {
    const entry = this.entry(doc)
    if (entry === undefined) return
    for (const id of entry.links) {
      const linked = this.docWith(id)
      if (linked !== undefined) yield linked
    }
    yield* this.#tied(TIES.link + entry.id)
    for (const linking of this.memory.linkedFrom(entry.id)) yield this.#memoryBase + linking
  }

  *replacements(id: string): Iterable<number> {
    yield* this.#tied(TIES.replaces + id)
    for (const doc of this.memory.replacements(id)) yield this.#memoryBase + doc
  }

  /** Mems of the files that are tied to something. */
  *#tied(tie: string): Iterable<number> {
    for (const { items, lengths, base } of this.parts(tie))
      for (const item of items) {
        const doc = docOf(item)
        if (lengths[doc] !== 0) yield base + doc
      }
  }

  #kill(id: string): void {
    for (const file of this.files) {
      const doc = file.docWith(id)
      if (doc !== undefined) file.kill(doc)
    }
  }
}
