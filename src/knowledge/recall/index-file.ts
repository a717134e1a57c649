import type { IndexFiles, PiecewiseFile } from "../../store/index-files.ts"
import {
  entryFrom,
  type FiledDoc,
  type Footer,
  ID_BYTES,
  idIn,
  type ListedFile,
  ROW_BYTES,
  SAMPLE_EVERY,
  sumOf,
  type TermItems,
  termsIn,
} from "./index-format.ts"
import type { Entry } from "./term-index.ts"

/** A file of the index is not there, or not as it was written: the index has to be built anew. */
export class DamagedIndex extends Error {}

/** One file of the index. Only what every query needs of it is in memory: the rest is read from the file while it is open. */
export class IndexFile {
  readonly listed: ListedFile
  /** How long each mem is; 0 for one that does not count any more. */
  readonly lengths: Uint16Array
  readonly dead: Footer["dead"]
  /** How many mems count, and how long they are together. */
  size = 0
  totalLength = 0
  /** Those that stopped counting since the file was written. */
  readonly killed = new Set<number>()
  readonly #files: IndexFiles
  readonly #footer: Footer
  readonly #samples: Buffer
  readonly #entries = new Map<number, Entry>()
  #open: PiecewiseFile | undefined

  constructor(files: IndexFiles, listed: ListedFile) {
    this.#files = files
    this.listed = listed
    try {
      const text = this.#read(listed.footer, listed.bytes - listed.footer, listed.sum)
      this.#footer = JSON.parse(text.toString("utf8").replace(/\0+$/, ""))
      const { docs, lengths, samples, terms, sum, blocks, dead } = this.#footer
      if (docs !== listed.docs || !Array.isArray(blocks) || typeof dead !== "object" || dead === null)
        throw new DamagedIndex(listed.file)
      const lengthBytes = this.#read(lengths, samples - lengths)
      this.#samples = this.#read(samples, terms - samples)
      if ((sumOf(lengthBytes) ^ sumOf(this.#samples)) !== sum) throw new DamagedIndex(listed.file)
      this.lengths = new Uint16Array(lengthBytes.buffer, 0, docs)
    } catch (error) {
      throw damaged(listed.file, error)
    } finally {
      this.close()
    }
    this.dead = this.#footer.dead
    for (const length of this.lengths) {
      if (length > 0) this.size++
      this.totalLength += length
    }
  }

  /** The same as it is now, to be read beside this one. */
  copy(): IndexFile {
    const copy = new IndexFile(this.#files, this.listed)
    copy.lengths.set(this.lengths)
    return copy
  }

  close(): void {
    this.#open?.close()
    this.#open = undefined
    if (this.#entries.size > MAX_ENTRIES) this.#entries.clear()
  }

  /** The mems that have a term. */
  items(term: string): Uint32Array | undefined {
    const block = this.#blockOf(term)
    if (block < 0) return undefined
    for (const each of this.#termsOf(block)) if (each.term === term) return each.items
    return undefined
  }

  /** The terms from one on, in the order of their letters. */
  *terms(from = ""): Generator<TermItems, void, void> {
    for (let block = Math.max(0, this.#blockOf(from)); block < this.#footer.blocks.length; block++)
      for (const each of this.#termsOf(block)) if (each.term >= from) yield each
  }

  docWith(id: string): number | undefined {
    const wanted = Buffer.from(id.replaceAll("-", ""), "hex")
    if (wanted.length !== ID_BYTES) return undefined
    const sample = lastNotAfter(wanted, this.#samples, ID_BYTES, Math.ceil(this.#footer.docs / SAMPLE_EVERY))
    if (sample < 0) return undefined
    const first = sample * SAMPLE_EVERY
    const count = Math.min(SAMPLE_EVERY, this.#footer.docs - first)
    const rows = this.#read(this.#footer.rows + first * ROW_BYTES, count * ROW_BYTES)
    const row = lastNotAfter(wanted, rows, ROW_BYTES, count)
    const isFound = row >= 0 && compareId(wanted, rows, row * ROW_BYTES) === 0
    return isFound && this.lengths[first + row] !== 0 ? first + row : undefined
  }

  entry(doc: number): Entry | undefined {
    if (this.lengths[doc] === 0) return undefined
    const known = this.#entries.get(doc)
    if (known !== undefined) return known
    const [row] = this.#rows(doc, 1)
    const entry = parsed(row?.id ?? "", row?.detail ?? "")
    this.#entries.set(doc, entry)
    return entry
  }

  /** All that count, in the order of their ids; many are read at once. */
  *docs(): Generator<FiledDoc & { doc: number }, undefined, void> {
    const { docs } = this.#footer
    for (let first = 0; first < docs; first += SAMPLE_EVERY) {
      const found = this.#rows(first, Math.min(SAMPLE_EVERY, docs - first))
      for (const [n, { id, detail }] of found.entries()) {
        const length = this.lengths[first + n] ?? 0
        if (length > 0) yield { doc: first + n, id, detail, length }
      }
    }
    return undefined
  }

  #rows(first: number, count: number): { id: string; detail: string }[] {
    const rows = this.#read(this.#footer.rows + first * ROW_BYTES, count * ROW_BYTES)
    const places = Array.from({ length: count }, (_, n) => ({
      at: rows.readUInt32LE(n * ROW_BYTES + ID_BYTES),
      bytes: rows.readUInt32LE(n * ROW_BYTES + ID_BYTES + 4),
    }))
    const start = places[0]?.at ?? 0
    const last = places.at(-1)
    const end = last === undefined ? start : last.at + last.bytes
    if (start > end || end > this.#footer.rows) throw new DamagedIndex(this.listed.file)
    const details = this.#read(start, end - start)
    return places.map(({ at, bytes }, n) => ({
      id: idIn(rows, n * ROW_BYTES),
      detail: details.toString("utf8", at - start, at - start + bytes),
    }))
  }

  /** A mem does not count any more: it was dropped, or a newer version of it is elsewhere. */
  kill(doc: number): void {
    const length = this.lengths[doc] ?? 0
    if (length === 0) return
    this.lengths[doc] = 0
    this.size--
    this.totalLength -= length
    this.killed.add(doc)
    this.#entries.delete(doc)
  }

  /** The last block whose first term is not behind this one. */
  #blockOf(term: string): number {
    const { blocks } = this.#footer
    let low = 0
    let high = blocks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((blocks[middle]?.[0] ?? "") <= term) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  *#termsOf(block: number): Generator<TermItems, void, void> {
    try {
      const [, at, bytes, sum] = this.#footer.blocks[block] ?? ["", 0, 0, 0]
      yield* termsIn(this.#read(at, bytes, sum))
    } catch (error) {
      throw damaged(this.listed.file, error)
    }
  }

  #read(at: number, bytes: number, sum?: number): Buffer {
    const { file, bytes: length } = this.listed
    try {
      if (!(at >= 0 && bytes >= 0 && at + bytes <= length)) throw new DamagedIndex(file)
      this.#open ??= this.#files.open(file)
      const found = this.#open?.read(at, bytes)
      if (found?.length !== bytes || (sum !== undefined && sumOf(found) !== sum)) throw new DamagedIndex(file)
      return found
    } catch (error) {
      throw damaged(file, error)
    }
  }
}

/** A file that cannot be read, for any reason, is of no use: a link, no permission, numbers that lead nowhere. */
function damaged(file: string, error: unknown): DamagedIndex {
  return error instanceof DamagedIndex ? error : new DamagedIndex(file, { cause: error })
}

function parsed(id: string, detail: string): Entry {
  try {
    return entryFrom(id, detail)
  } catch (error) {
    throw new DamagedIndex(id, { cause: error })
  }
}

/** Of sorted rows that begin with an id, the last one that is not behind this one; -1 where all are. */
function lastNotAfter(id: Buffer, rows: Buffer, rowBytes: number, count: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareId(id, rows, middle * rowBytes) >= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

function compareId(id: Buffer, rows: Buffer, at: number): number {
  return id.compare(rows, at, at + ID_BYTES)
}

const MAX_ENTRIES = 2000
