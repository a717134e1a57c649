import { crc32 } from "node:zlib"
import type { Pausing } from "../../shared/slices.ts"
import type { IndexFiles, PiecewiseFile } from "../../store/index-files.ts"
import type { Entry, IndexPart, PartDoc, TermItems } from "./index-part.ts"
import {
  entryFrom,
  type Footer,
  ID_BYTES,
  idIn,
  type ListedFile,
  ROW_BYTES,
  SAMPLE_EVERY,
  termsIn,
} from "./part-format.ts"

/** Thrown if a file of the index is missing or damaged: the index has to be rebuilt. */
export class DamagedIndex extends Error {}

interface Loaded {
  footer: Footer
  lengths: Uint16Array
  samples: Buffer
  size: number
  totalLength: number
}

/** A file of the index. Keeps lengths and offsets in memory and reads the rest when needed. Opens again after `close`. */
export class DiskPart implements IndexPart {
  readonly listed: ListedFile
  readonly lengths: Uint16Array
  size: number
  totalLength: number
  readonly #disk: IndexFiles
  readonly #footer: Footer
  readonly #samples: Buffer
  readonly #entries = new Map<number, Entry>()
  /** Blocks of terms read for the current query. Forms of one word are often in one block. */
  readonly #blocks = new Map<number, Buffer>()
  #open: PiecewiseFile | undefined

  private constructor(disk: IndexFiles, listed: ListedFile, loaded: Loaded) {
    this.#disk = disk
    this.listed = listed
    this.#footer = loaded.footer
    this.#samples = loaded.samples
    this.lengths = loaded.lengths
    this.size = loaded.size
    this.totalLength = loaded.totalLength
  }

  /** Loads a file in slices, because the lengths of a million mems alone take two megabytes. */
  static *load(disk: IndexFiles, listed: ListedFile, removed: readonly number[] = []): Pausing<DiskPart> {
    let opened: PiecewiseFile | undefined
    try {
      const file = openPart(disk, listed)
      opened = file
      const read = (from: number, to: number) => readPiece(file, listed, from, to - from)
      const text = read(listed.footer, listed.bytes)
      if (crc32(text) !== listed.sum) throw new DamagedIndex(listed.file)
      yield
      const footer: Footer = JSON.parse(text.toString())
      const { docs, totalLength, blocks } = footer
      if (docs !== listed.docs || !Array.isArray(blocks)) throw new DamagedIndex(listed.file)
      yield
      const lengthBytes = read(footer.lengths, footer.samples)
      const samples = read(footer.samples, footer.terms)
      yield
      if (crc32(samples, crc32(lengthBytes)) !== footer.sum) throw new DamagedIndex(listed.file)
      const lengths = new Uint16Array(lengthBytes.buffer, 0, docs)
      const part = new DiskPart(disk, listed, { footer, lengths, samples, size: docs, totalLength })
      for (const doc of removed) part.remove(doc)
      return part
    } catch (error) {
      throw asDamaged(listed, error)
    } finally {
      opened?.close()
    }
  }

  /** Opens the file a second time. The copy does not see mems that are removed later. */
  copy(): DiskPart {
    const { size, totalLength } = this
    const loaded = { footer: this.#footer, samples: this.#samples, lengths: this.lengths.slice() }
    return new DiskPart(this.#disk, this.listed, { ...loaded, size, totalLength })
  }

  close(): void {
    this.#open?.close()
    this.#open = undefined
    this.#blocks.clear()
    if (this.#entries.size > MAX_ENTRIES) this.#entries.clear()
  }

  get range(): number {
    return this.listed.docs
  }

  get hasRemoved(): boolean {
    return this.size < this.listed.docs
  }

  items(term: string): Uint32Array | undefined {
    const block = this.#blockOf(term)
    if (block < 0) return undefined
    const bytes = this.#blocks.get(block) ?? this.#readBlock(block)
    if (this.#blocks.size < MAX_BLOCKS) this.#blocks.set(block, bytes)
    for (const { items } of this.#termsIn(bytes, Buffer.from(term))) return items
    return undefined
  }

  *terms(from = ""): Generator<TermItems, void, void> {
    for (let block = Math.max(0, this.#blockOf(from)); block < this.#footer.blocks.length; block++)
      for (const each of this.#termsIn(this.#readBlock(block))) if (each.term >= from) yield each
  }

  docWith(id: string): number | undefined {
    const wanted = Buffer.from(id.replaceAll("-", ""), "hex")
    if (wanted.length !== ID_BYTES) return undefined
    const sample = lastUpTo(wanted, this.#samples, ID_BYTES)
    if (sample < 0) return undefined
    const first = sample * SAMPLE_EVERY
    const rows = this.#readRows(first, SAMPLE_EVERY)
    const row = lastUpTo(wanted, rows, ROW_BYTES)
    const isFound = row >= 0 && compareId(wanted, rows, row * ROW_BYTES) === 0
    return isFound && this.lengths[first + row] !== 0 ? first + row : undefined
  }

  entry(doc: number): Entry | undefined {
    if (this.lengths[doc] === 0) return undefined
    const known = this.#entries.get(doc)
    if (known !== undefined) return known
    for (const { id, detail } of this.#details(doc, 1)) {
      const entry = guarded(this.listed, () => entryFrom(id, detail))
      this.#entries.set(doc, entry)
      return entry
    }
    return undefined
  }

  *docs(): Generator<PartDoc, void, void> {
    for (let first = 0; first < this.listed.docs; first += SAMPLE_EVERY)
      for (const each of this.#details(first, SAMPLE_EVERY)) if (each.length > 0) yield each
  }

  remove(doc: number): void {
    const length = this.lengths[doc] ?? 0
    if (length === 0) return
    this.lengths[doc] = 0
    this.size--
    this.totalLength -= length
    this.#entries.delete(doc)
  }

  *#details(first: number, count: number): Generator<PartDoc, void, void> {
    const rows = this.#readRows(first, count)
    const placeOf = (row: number) => rows.readUInt32LE(row + ID_BYTES)
    const start = placeOf(0)
    const last = rows.length - ROW_BYTES
    const texts = this.#read(start, placeOf(last) + rows.readUInt32LE(last + ID_BYTES + 4) - start)
    for (let row = 0; row < rows.length; row += ROW_BYTES) {
      const doc = first + row / ROW_BYTES
      const at = placeOf(row) - start
      const detail = texts.toString("utf8", at, at + rows.readUInt32LE(row + ID_BYTES + 4))
      yield { doc, id: idIn(rows, row), detail, length: this.lengths[doc] ?? 0 }
    }
  }

  #blockOf(term: string): number {
    const { blocks } = this.#footer
    return lastWhere(blocks.length, (block) => (blocks[block]?.[0] ?? "") <= term)
  }

  *#termsIn(block: Buffer, wanted?: Buffer): Generator<TermItems, void, void> {
    try {
      yield* termsIn(block, wanted)
    } catch (error) {
      throw asDamaged(this.listed, error)
    }
  }

  #readRows(first: number, count: number): Buffer {
    const rows = Math.min(count, this.listed.docs - first)
    return this.#read(this.#footer.rows + first * ROW_BYTES, rows * ROW_BYTES)
  }

  #readBlock(block: number): Buffer {
    const [, at, bytes, sum] = this.#footer.blocks[block] ?? ["", 0, 0, 0]
    const found = this.#read(at, bytes)
    if (crc32(found) !== sum) throw new DamagedIndex(this.listed.file)
    return found
  }

  #read(at: number, bytes: number): Buffer {
    this.#open ??= openPart(this.#disk, this.listed)
    return readPiece(this.#open, this.listed, at, bytes)
  }
}

function openPart(disk: IndexFiles, listed: ListedFile): PiecewiseFile {
  const opened = guarded(listed, () => disk.open(listed.file))
  if (opened === undefined) throw new DamagedIndex(listed.file)
  return opened
}

function readPiece(opened: PiecewiseFile, listed: ListedFile, at: number, bytes: number): Buffer {
  const isInside = at >= 0 && bytes >= 0 && at + bytes <= listed.bytes
  const found = isInside ? guarded(listed, () => opened.read(at, bytes)) : undefined
  if (found?.length !== bytes) throw new DamagedIndex(listed.file)
  return found
}

function guarded<T>(listed: ListedFile, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw asDamaged(listed, error)
  }
}

/** Turns any read error (a link, no permission, damage) into DamagedIndex, so that the index is built again. */
function asDamaged({ file }: ListedFile, error: unknown): DamagedIndex {
  return error instanceof DamagedIndex ? error : new DamagedIndex(file, { cause: error })
}

/** Binary search: the last row whose id is at most the given id; -1 if there is none. */
function lastUpTo(id: Buffer, rows: Buffer, rowBytes: number): number {
  return lastWhere(rows.length / rowBytes, (row) => compareId(id, rows, row * rowBytes) >= 0)
}

/** Binary search: the last number below `count` for which `holds` is true, or -1. It must hold up to one number only. */
function lastWhere(count: number, holds: (n: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}

const compareId = (id: Buffer, rows: Buffer, at: number): number => id.compare(rows, at, at + ID_BYTES)

const MAX_ENTRIES = 2000
const MAX_BLOCKS = 64
