import type { Pausing } from "../../shared/slices.ts"
import type { IndexFiles, PiecewiseFile } from "../../store/index-files.ts"
import {
  entryFrom,
  type FiledDoc,
  type Footer,
  ID_BYTES,
  idIn,
  itemsIn,
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
  size: number
  totalLength: number
  /** Those that stopped counting since the file was written. */
  readonly killed = new Set<number>()
  readonly #files: IndexFiles
  readonly #footer: Footer
  readonly #samples: Buffer
  readonly #entries = new Map<number, Entry>()
  /** Blocks of terms that the query under way has read: several forms of a word are often in one. */
  readonly #blocks = new Map<number, Buffer>()
  #open: PiecewiseFile | undefined

  private constructor(files: IndexFiles, listed: ListedFile, { footer, samples, ...counted }: Loaded) {
    this.#files = files
    this.listed = listed
    this.#footer = footer
    this.#samples = samples
    this.dead = footer.dead
    this.lengths = counted.lengths
    this.size = counted.size
    this.totalLength = counted.totalLength
  }

  /** In slices: of a million mems the lengths alone take two megabytes. */
  static *load(files: IndexFiles, listed: ListedFile): Pausing<IndexFile> {
    const { file } = listed
    const opened = openFile(files, file)
    const read = (at: number, bytes: number) => readPiece(opened, listed, at, bytes)
    try {
      const text = read(listed.footer, listed.bytes - listed.footer)
      if (sumOf(text) !== listed.sum) throw new DamagedIndex(file)
      yield
      const footer: Footer = JSON.parse(text.toString("utf8").replace(/\0+$/, ""))
      const { docs, samples: samplesAt, terms, sum, blocks, dead } = footer
      if (docs !== listed.docs || !Array.isArray(blocks) || typeof dead !== "object" || dead === null)
        throw new DamagedIndex(file)
      yield
      const lengthBytes = read(footer.lengths, samplesAt - footer.lengths)
      const lengths = new Uint16Array(lengthBytes.buffer, 0, docs)
      const samples = read(samplesAt, terms - samplesAt)
      let lengthSum = lengthBytes.length
      let size = 0
      let totalLength = 0
      for (let at = 0; at < lengthBytes.length; at += CHECKED_AT_ONCE) {
        lengthSum = sumOf(lengthBytes.subarray(at, at + CHECKED_AT_ONCE), lengthSum)
        const piece = lengths.subarray(at / 2, (at + CHECKED_AT_ONCE) / 2)
        size += countPresent(piece)
        totalLength += total(piece)
        yield
      }
      if ((lengthSum ^ sumOf(samples)) !== sum) throw new DamagedIndex(file)
      return new IndexFile(files, listed, { footer, samples, lengths, size, totalLength })
    } catch (error) {
      throw damaged(file, error)
    } finally {
      opened.close()
    }
  }

  /** The same as it is now, to be read beside this one. */
  copy(): IndexFile {
    const { lengths, size, totalLength } = this
    const loaded = {
      footer: this.#footer,
      samples: this.#samples,
      lengths: lengths.slice(),
      size,
      totalLength,
    }
    return new IndexFile(this.#files, this.listed, loaded)
  }

  close(): void {
    this.#open?.close()
    this.#open = undefined
    this.#blocks.clear()
    if (this.#entries.size > MAX_ENTRIES) this.#entries.clear()
  }

  /** The mems that have a term. */
  items(term: string): Uint32Array | undefined {
    const block = this.#blockOf(term)
    try {
      return block < 0 ? undefined : itemsIn(this.#block(block), term)
    } catch (error) {
      throw damaged(this.listed.file, error)
    }
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
      yield* termsIn(this.#readBlock(block))
    } catch (error) {
      throw damaged(this.listed.file, error)
    }
  }

  #block(block: number): Buffer {
    const bytes = this.#blocks.get(block) ?? this.#readBlock(block)
    if (this.#blocks.size < MAX_BLOCKS) this.#blocks.set(block, bytes)
    return bytes
  }

  #readBlock(block: number): Buffer {
    const [, at, bytes, sum] = this.#footer.blocks[block] ?? ["", 0, 0, 0]
    const found = this.#read(at, bytes)
    if (sumOf(found) !== sum) throw new DamagedIndex(this.listed.file)
    return found
  }

  #read(at: number, bytes: number): Buffer {
    this.#open ??= openFile(this.#files, this.listed.file)
    return readPiece(this.#open, this.listed, at, bytes)
  }
}

/** What of a file is kept in memory. */
interface Loaded {
  footer: Footer
  samples: Buffer
  lengths: Uint16Array
  size: number
  totalLength: number
}

// Plain loops in functions of their own: the engine makes those fast soonest, and a new process has only just begun.
function countPresent(lengths: Uint16Array): number {
  let count = 0
  for (let n = 0; n < lengths.length; n++) if (lengths[n] !== 0) count++
  return count
}

function total(lengths: Uint16Array): number {
  let sum = 0
  for (let n = 0; n < lengths.length; n++) sum += lengths[n] ?? 0
  return sum
}

function openFile(files: IndexFiles, file: string): PiecewiseFile {
  try {
    const opened = files.open(file)
    if (opened !== undefined) return opened
  } catch (error) {
    throw damaged(file, error)
  }
  throw new DamagedIndex(file)
}

function readPiece(
  opened: PiecewiseFile,
  { file, bytes: length }: ListedFile,
  at: number,
  bytes: number,
): Buffer {
  try {
    const found = at >= 0 && bytes >= 0 && at + bytes <= length ? opened.read(at, bytes) : undefined
    if (found?.length === bytes) return found
  } catch (error) {
    throw damaged(file, error)
  }
  throw new DamagedIndex(file)
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
const MAX_BLOCKS = 64
const CHECKED_AT_ONCE = 1 << 16
