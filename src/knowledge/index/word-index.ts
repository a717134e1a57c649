import type { DiskPart } from "./disk-part.ts"
import { docOf, type Entry, type Indexed, type IndexPart, TIES } from "./index-part.ts"
import { MemoryPart } from "./memory-part.ts"

export interface TermPart extends Pick<IndexPart, "lengths" | "hasRemoved"> {
  items: Uint32Array
  /** The offset from a mem's number in this part to its number in the whole index. */
  base: number
}

/** The whole index: its files, and in memory the changes since they were written. Each mem is in exactly one part. */
export class WordIndex {
  readonly files: readonly DiskPart[]
  readonly memory: MemoryPart
  readonly #bases: ReadonlyMap<IndexPart, number>
  readonly #memoryBase: number
  readonly #terms = new Map<string, readonly TermPart[]>()

  constructor(files: readonly DiskPart[] = [], memory = new MemoryPart()) {
    this.files = files
    this.memory = memory
    const bases = new Map<IndexPart, number>()
    let base = 0
    for (const part of [...files, memory]) {
      bases.set(part, base)
      base += part.range
    }
    this.#bases = bases
    this.#memoryBase = bases.get(memory) ?? 0
  }

  get #parts(): readonly IndexPart[] {
    return [...this.files, this.memory]
  }

  get size(): number {
    return this.#parts.reduce((sum, { size }) => sum + size, 0)
  }

  get meanLength(): number {
    return this.#parts.reduce((sum, { totalLength }) => sum + totalLength, 0) / Math.max(1, this.size) || 1
  }

  get range(): number {
    return this.#memoryBase + this.memory.range
  }

  isInMemory(doc: number): boolean {
    return doc >= this.#memoryBase
  }

  close(): void {
    this.#terms.clear()
    for (const file of this.files) file.close()
  }

  has(id: string): boolean {
    return this.docWith(id) !== undefined
  }

  docWith(id: string): number | undefined {
    for (const part of [this.memory, ...this.files]) {
      const doc = part.docWith(id)
      if (doc !== undefined) return (this.#bases.get(part) ?? 0) + doc
    }
    return undefined
  }

  entry(doc: number): Entry | undefined {
    if (this.isInMemory(doc)) return this.memory.entry(doc - this.#memoryBase)
    const file = this.files.findLast((each) => (this.#bases.get(each) ?? 0) <= doc)
    return file?.entry(doc - (this.#bases.get(file) ?? 0))
  }

  put(mem: Indexed): void {
    this.remove(mem.id)
    this.memory.put(mem)
  }

  remove(id: string): void {
    for (const part of this.#parts) {
      const doc = part.docWith(id)
      if (doc !== undefined) part.remove(doc)
    }
  }

  parts(term: string): readonly TermPart[] {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const found: TermPart[] = []
    for (const [part, base] of this.#bases) {
      const items = part.items(term)
      const { lengths, hasRemoved } = part
      if (items === undefined) continue
      if (!hasRemoved || items.some((item) => lengths[docOf(item)] !== 0))
        found.push({ items, lengths, hasRemoved, base })
    }
    this.#terms.set(term, found)
    return found
  }

  *termsLike(wanted: string): Iterable<string> {
    const start = wanted.slice(0, 2)
    for (const part of this.#parts)
      for (const { term } of part.terms(start)) {
        if (!term.startsWith(start)) break
        yield term
      }
  }

  ofTask(task: string): Iterable<number> {
    return this.#tiedTo(TIES.task + task)
  }

  replacements(id: string): Iterable<number> {
    return this.#tiedTo(TIES.replaces + id)
  }

  *linkedWith(doc: number): Iterable<number> {
    const entry = this.entry(doc)
    if (entry === undefined) return
    for (const id of entry.links) {
      const linked = this.docWith(id)
      if (linked !== undefined) yield linked
    }
    yield* this.#tiedTo(TIES.link + entry.id)
  }

  *#tiedTo(tie: string): Iterable<number> {
    for (const { items, lengths, base } of this.parts(tie))
      for (const item of items) {
        const doc = docOf(item)
        if (lengths[doc] !== 0) yield base + doc
      }
  }
}
