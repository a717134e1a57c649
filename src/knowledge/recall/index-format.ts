import type { Entry } from "./term-index.ts"

/**
 * A file of the recall index on disk, of numbers with the lowest byte first:
 *
 * - what is known of each mem beside its words, as JSON, padded with zeros to a multiple of 4.
 * - a row of 24 bytes per mem, in the order of the ids: the id (16), where its JSON starts (4) and how long that is (4).
 * - the length of each mem in words (2 bytes each), padded with zeros to a multiple of 4.
 * - the id of every 256th row (16 bytes each).
 * - blocks of terms in the order of their letters. Each term: the length of its text (4 bytes), its text in UTF-8, zeros up
 *   to a multiple of 4, the count of its postings (4 bytes), its postings (4 bytes each, as in memory).
 * - a footer in JSON: where all of that starts, and each block with its first term and a checksum.
 *
 * The list of files has the footer's place and checksum. A mem's number is that of its row.
 */
export interface Footer {
  docs: number
  blocks: [firstTerm: string, at: number, bytes: number, sum: number][]
  rows: number
  lengths: number
  samples: number
  /** Of the lengths and the samples. */
  sum: number
  /** Where the terms start. */
  terms: number
  /** Mems of older files that do not count any more, by the file's name: newer files have them, or they were dropped. */
  dead: Record<string, number[]>
}

/** A file as the list names it. */
export interface ListedFile {
  file: string
  docs: number
  /** Where its footer starts. */
  footer: number
  bytes: number
  /** Of its footer. */
  sum: number
}

export interface TermItems {
  term: string
  items: Uint32Array
}

/** One mem, as it goes into a file. */
export interface FiledDoc {
  id: string
  detail: string
  length: number
}

export interface IndexContent {
  /** In the order of their letters. */
  terms: Iterable<TermItems>
  /** In the order of their ids. */
  docs: Iterable<FiledDoc>
  dead: Footer["dead"]
}

/** The bytes of a file, piece by piece; returns how the list names it. */
export function* encodeIndex({
  terms,
  docs,
  dead,
}: IndexContent): Generator<Buffer, Omit<ListedFile, "file">, void> {
  let at = 0
  const pages: Buffer[] = []
  const lengths: number[] = []
  let texts: Buffer[] = []
  for (const { id, detail, length } of docs) {
    const row = lengths.push(length) - 1
    const inPage = (row % SAMPLE_EVERY) * ROW_BYTES
    if (inPage === 0) pages.push(Buffer.alloc(PAGE_BYTES))
    const page = pages.at(-1) ?? NOTHING
    const text = Buffer.from(detail)
    page.write(id.replaceAll("-", ""), inPage, "hex")
    page.writeUInt32LE(at, inPage + ID_BYTES)
    page.writeUInt32LE(text.length, inPage + ID_BYTES + 4)
    at += text.length
    if (texts.push(text) < SAMPLE_EVERY) continue
    yield Buffer.concat(texts)
    texts = []
  }
  // What follows has to start at a multiple of 4.
  texts.push(Buffer.alloc(roundUp(at) - at))
  yield Buffer.concat(texts)
  const rows = roundUp(at)
  const docCount = lengths.length
  for (const [n, page] of pages.entries())
    yield page.subarray(0, Math.min(SAMPLE_EVERY, docCount - n * SAMPLE_EVERY) * ROW_BYTES)
  const ends = aligned([Buffer.from(Uint16Array.from(lengths).buffer)])
  const samples = aligned(pages.map((page) => page.subarray(0, ID_BYTES)))
  yield ends
  yield samples
  const lengthsAt = rows + docCount * ROW_BYTES
  const samplesAt = lengthsAt + ends.length
  at = samplesAt + samples.length

  const blocks: Footer["blocks"] = []
  let records: Buffer[] = []
  let bytes = 0
  let first = ""
  const closeBlock = () => {
    const block = aligned(records)
    blocks.push([first, at, block.length, sumOf(block)])
    at += block.length
    records = []
    bytes = 0
    return block
  }
  for (const { term, items } of terms) {
    const record = termRecord(term, items)
    if (bytes > 0 && bytes + record.length > BLOCK_BYTES) yield closeBlock()
    if (bytes === 0) first = term
    records.push(record)
    bytes += record.length
  }
  if (bytes > 0) yield closeBlock()
  const footer: Footer = {
    docs: docCount,
    blocks,
    rows,
    lengths: lengthsAt,
    samples: samplesAt,
    sum: sumOf(ends) ^ sumOf(samples),
    terms: samplesAt + samples.length,
    dead,
  }
  const text = aligned([Buffer.from(JSON.stringify(footer))])
  yield text
  return { docs: docCount, footer: at, bytes: at + text.length, sum: sumOf(text) }
}

function termRecord(term: string, items: Uint32Array): Buffer {
  const textBytes = Buffer.byteLength(term)
  const head = roundUp(4 + textBytes)
  const record = Buffer.alloc(head + 4 + items.byteLength)
  record.writeUInt32LE(textBytes)
  record.write(term, 4)
  record.writeUInt32LE(items.length, head)
  Buffer.from(items.buffer, items.byteOffset, items.byteLength).copy(record, head + 4)
  return record
}

/** The terms of a block. */
export function* termsIn(block: Buffer): Generator<TermItems, void, void> {
  for (let at = 0; at < block.length; ) {
    const textBytes = block.readUInt32LE(at)
    const head = at + roundUp(4 + textBytes)
    const count = block.readUInt32LE(head)
    // A length beyond the block would lead back to where it has been.
    if (head <= at) throw new RangeError("a term is too long")
    yield {
      term: block.toString("utf8", at + 4, at + 4 + textBytes),
      items: new Uint32Array(block.buffer, block.byteOffset + head + 4, count),
    }
    at = head + 4 + count * 4
  }
}

/** The items of one term of a block. Its bytes are compared: making a string of every term takes longer. */
export function itemsIn(block: Buffer, term: string): Uint32Array | undefined {
  const wanted = Buffer.from(term)
  for (let at = 0; at < block.length; ) {
    const textBytes = block.readUInt32LE(at)
    const head = at + roundUp(4 + textBytes)
    const count = block.readUInt32LE(head)
    if (head <= at) throw new RangeError("a term is too long")
    if (textBytes === wanted.length && wanted.compare(block, at + 4, at + 4 + textBytes) === 0)
      return new Uint32Array(block.buffer, block.byteOffset + head + 4, count)
    at = head + 4 + count * 4
  }
  return undefined
}

/** What is known of a mem beside its words; what most mems do not have is left out at the end. */
export function detailOf({ kind, status, isByRule, task, supersedes, parent, links }: Entry): string {
  const all = [kind, status, isByRule ? 1 : 0, task, supersedes, parent, ...links]
  while (all.at(-1) === null) all.pop()
  return JSON.stringify(all)
}

export function entryFrom(id: string, detail: string): Entry {
  const [kind, status, isByRule, task = null, supersedes = null, parent = null, ...links] = JSON.parse(detail)
  return { id, kind, status, isByRule: isByRule === 1, task, supersedes, parent, links }
}

export function idIn(bytes: Buffer, at: number): string {
  const hex = bytes.toString("hex", at, at + ID_BYTES)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

/**
 * Changes with every byte and its place. Its length has to be a multiple of 4. For the sum of pieces, each begins with that
 * of those before it, and the first with the length of all.
 */
export function sumOf(bytes: Buffer, before = bytes.length): number {
  let sum = before
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  // Not `for of`: in code that has just been loaded, that takes three times as long.
  for (let n = 0; n < words.length; n++) sum = (Math.imul(sum, 31) + (words[n] ?? 0)) | 0
  return sum
}

/** In memory of its own, padded to a multiple of 4. */
function aligned(pieces: readonly Buffer[]): Buffer {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const all = Buffer.from(new ArrayBuffer(roundUp(bytes)))
  let at = 0
  for (const piece of pieces) at += piece.copy(all, at)
  return all
}

function roundUp(bytes: number): number {
  return (bytes + 3) & ~3
}

export const ID_BYTES = 16
export const ROW_BYTES = 24
export const SAMPLE_EVERY = 256
const PAGE_BYTES = SAMPLE_EVERY * ROW_BYTES
const BLOCK_BYTES = 1 << 14
const NOTHING = Buffer.alloc(0)
