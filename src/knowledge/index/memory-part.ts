import { isUnconfirmed } from "../memory/by-rule.ts"
import { eachTerm, type Field } from "../words/terms.ts"
import {
  type Entry,
  FAILED_TASK,
  type Indexed,
  type IndexPart,
  MAX_DOCS,
  type PartDoc,
  posting,
  type TermItems,
  TIES,
} from "./index-part.ts"
import { detailOf } from "./part-format.ts"

/** The part of the index in memory. A removed mem is only marked: its postings stay until the index is made anew. */
export class MemoryPart implements IndexPart {
  readonly #terms = new PieceMap<number[]>(firstTwoChars)
  readonly #docs = new PieceMap<number>((id) => Number.parseInt(id.slice(0, 2), 16))
  readonly #entries: (Entry | undefined)[] = []
  #removed = 0
  lengths = new Uint16Array(1024)
  totalLength = 0

  get size(): number {
    return this.#docs.size
  }

  get range(): number {
    return this.#entries.length
  }

  get hasRemoved(): boolean {
    return this.#removed > 0
  }

  entry(doc: number): Entry | undefined {
    return this.#entries[doc]
  }

  docWith(id: string): number | undefined {
    return this.#docs.get(id)
  }

  items(term: string): Uint32Array | undefined {
    const items = this.#terms.get(term)
    return items && Uint32Array.from(items)
  }

  *terms(from = ""): Generator<TermItems, void, void> {
    for (const term of this.#terms.sortedKeys(from))
      yield { term, items: Uint32Array.from(this.#terms.get(term) ?? []) }
  }

  *docs(): Generator<PartDoc, void, void> {
    for (const id of this.#docs.sortedKeys()) {
      const doc = this.#docs.get(id) ?? 0
      const entry = this.#entries[doc]
      if (entry === undefined || entry.kind === FAILED_TASK) continue
      yield { doc, id, detail: detailOf(entry), length: this.lengths[doc] ?? 0 }
    }
  }

  /** Adds a mem; the caller has removed its old version. */
  put(mem: Indexed): void {
    if (mem.status === "purged" || this.range >= MAX_DOCS) return
    const doc = this.#entries.length
    const { id, kind, origin_task_id: task, status, supersedes, parent_mem_id: parent, related_to } = mem
    const links = [...new Set(parent === null ? related_to : [parent, ...related_to])]
    this.#entries[doc] = { id, kind, task, status, supersedes, parent, links, isByRule: isUnconfirmed(mem) }
    this.#docs.set(id, doc)
    if (task !== null) this.#addPosting(TIES.task + task, posting(doc, 0))
    if (supersedes !== null) this.#addPosting(TIES.replaces + supersedes, posting(doc, 0))
    for (const link of links) this.#addPosting(TIES.link + link, posting(doc, 0))
    this.#setLength(doc, this.#addTerms(doc, mem))
  }

  remove(doc: number): void {
    const entry = this.#entries[doc]
    if (entry === undefined) return
    this.#docs.delete(entry.id)
    this.#entries[doc] = undefined
    this.totalLength -= this.lengths[doc] ?? 0
    this.lengths[doc] = 0
    this.#removed++
  }

  /** True if removed mems take up so much memory that the index should be made anew. */
  get isWasteful(): boolean {
    return this.#removed > MIN_REMOVED && this.#removed * 4 > this.size
  }

  #addTerms(doc: number, mem: Indexed): number {
    const weights = new Map<string, number>()
    let count = 0
    eachTerm(mem, (term, field) => {
      weights.set(term, (weights.get(term) ?? 0) + FIELD_WEIGHT[field])
      count++
    })
    for (const [term, weight] of weights) this.#addPosting(term, posting(doc, weight))
    return count
  }

  #addPosting(term: string, item: number): void {
    const items = this.#terms.get(term)
    if (items === undefined) this.#terms.set(term, [item])
    else items.push(item)
  }

  #setLength(doc: number, words: number): void {
    if (doc >= this.lengths.length) {
      const longer = new Uint16Array(this.lengths.length * 2)
      longer.set(this.lengths)
      this.lengths = longer
    }
    const length = Math.min(Math.max(1, words), MAX_LENGTH)
    this.lengths[doc] = length
    this.totalLength += length
  }
}

/** A map made of many small maps: one map with 100,000 keys would block the event loop while it grows or is sorted. */
class PieceMap<V> {
  readonly #pieces = new Map<number, Map<string, V>>()
  readonly #pieceOf: (key: string) => number
  size = 0

  /** `pieceOf` returns the number of the small map for a key. A larger key never has a smaller number. */
  constructor(pieceOf: (key: string) => number) {
    this.#pieceOf = pieceOf
  }

  get(key: string): V | undefined {
    return this.#pieces.get(this.#pieceOf(key))?.get(key)
  }

  set(key: string, value: V): void {
    const number = this.#pieceOf(key)
    const piece = this.#pieces.get(number) ?? new Map<string, V>()
    this.#pieces.set(number, piece)
    if (!piece.has(key)) this.size++
    piece.set(key, value)
  }

  delete(key: string): void {
    if (this.#pieces.get(this.#pieceOf(key))?.delete(key)) this.size--
  }

  *sortedKeys(from = ""): Iterable<string> {
    const first = this.#pieceOf(from)
    const numbers = [...this.#pieces.keys()].filter((number) => from === "" || number >= first)
    for (const number of numbers.sort((a, b) => a - b))
      for (const key of [...(this.#pieces.get(number)?.keys() ?? [])].sort()) if (key >= from) yield key
  }
}

function firstTwoChars(term: string): number {
  return (term.charCodeAt(0) << 16) | (term.length > 1 ? term.charCodeAt(1) : 0)
}

/** Tags weigh more than words of the text, because an author chose them. */
const FIELD_WEIGHT: Record<Field, number> = { words: 4, tags: 6, files: 3 }
export const WORD_WEIGHT = FIELD_WEIGHT.words
const MIN_REMOVED = 1000
const MAX_LENGTH = 0xffff
