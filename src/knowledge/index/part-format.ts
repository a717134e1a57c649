import { crc32 } from "node:zlib"
import type { Entry, PartDoc, TermItems } from "./index-part.ts"

/**
 * The layout of a file of the recall index, in this order. Numbers are little-endian, sizes in bytes.
 * - facts about each mem besides its words, as JSON.
 * - a row of 24 bytes per mem, sorted by id: the id (16), where its JSON starts (4), the length of its JSON (4).
 * - the length of each mem in words (2 bytes each).
 * - the id of every 256th row (16 bytes each).
 * - blocks of sorted terms. Each term: the length of its text (4 bytes), its text in UTF-8, zeros up to a multiple of 4, the
 *   count of its postings (4 bytes), its postings (4 bytes each, as in memory).
 * - a footer in JSON. The list of files (`ListedFile`) stores its position and checksum.
 *
 * A mem's number is its row number.
 */

export interface Footer {
  docs: number
  totalLength: number
  blocks: [firstTerm: string, at: number, bytes: number, sum: number][]
  rows: number
  lengths: number
  samples: number
  terms: number
  /** Checksum of the mems' lengths and of `samples`, the ids of every 256th row. */
  sum: number
}

export interface ListedFile {
  file: string
  docs: number
  footer: number
  bytes: number
  sum: number
}

export interface PartContent {
  docs: Iterable<Omit<PartDoc, "doc">>
  terms: Iterable<TermItems>
}

/** Yields the bytes of a file in pieces, and returns the file's entry for the list of files. */
export function* encodePart({ docs, terms }: PartContent): Generator<Buffer, Omit<ListedFile, "file">, void> {
  const pages: Buffer[] = []
  const lengths: number[] = []
  let texts: Buffer[] = []
  let at = 0
  for (const { id, detail, length } of docs) {
    const row = lengths.push(length) - 1
    const inPage = (row % SAMPLE_EVERY) * ROW_BYTES
    if (inPage === 0) pages.push(Buffer.alloc(SAMPLE_EVERY * ROW_BYTES))
    const text = Buffer.from(detail)
    const page = pages.at(-1)
    page?.write(id.replaceAll("-", ""), inPage, "hex")
    page?.writeUInt32LE(at, inPage + ID_BYTES)
    page?.writeUInt32LE(text.length, inPage + ID_BYTES + 4)
    at += text.length
    if (texts.push(text) < SAMPLE_EVERY) continue
    yield Buffer.concat(texts)
    texts = []
  }
  yield Buffer.concat(texts)
  const rows = at
  for (const [n, page] of pages.entries())
    yield page.subarray(0, Math.min(SAMPLE_EVERY, lengths.length - n * SAMPLE_EVERY) * ROW_BYTES)
  const lengthBytes = Buffer.from(Uint16Array.from(lengths).buffer)
  const samples = Buffer.concat(pages.map((page) => page.subarray(0, ID_BYTES)))
  yield lengthBytes
  yield samples
  const lengthsAt = rows + lengths.length * ROW_BYTES
  const samplesAt = lengthsAt + lengthBytes.length
  const termsAt = samplesAt + samples.length
  at = termsAt

  const blocks: Footer["blocks"] = []
  for (const { first, bytes } of termBlocks(terms)) {
    blocks.push([first, at, bytes.length, crc32(bytes)])
    at += bytes.length
    yield bytes
  }
  const footer: Footer = {
    docs: lengths.length,
    totalLength: lengths.reduce((sum, length) => sum + length, 0),
    blocks,
    rows,
    lengths: lengthsAt,
    samples: samplesAt,
    terms: termsAt,
    sum: crc32(samples, crc32(lengthBytes)),
  }
  const text = Buffer.from(JSON.stringify(footer))
  yield text
  return { docs: lengths.length, footer: at, bytes: at + text.length, sum: crc32(text) }
}

function* termBlocks(terms: Iterable<TermItems>): Generator<{ first: string; bytes: Buffer }, void, void> {
  let records: Buffer[] = []
  let size = 0
  let first = ""
  for (const { term, items } of terms) {
    const record = termRecord(term, items)
    if (size > 0 && size + record.length > BLOCK_BYTES) {
      yield { first, bytes: Buffer.concat(records) }
      records = []
      size = 0
    }
    if (size === 0) first = term
    records.push(record)
    size += record.length
  }
  if (size > 0) yield { first, bytes: Buffer.concat(records) }
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

/** Decodes a block's terms, or only `wanted`. It is compared as bytes, which is faster than making strings. */
export function* termsIn(block: Buffer, wanted?: Buffer): Generator<TermItems, void, void> {
  for (let at = 0; at < block.length; ) {
    const textEnd = at + 4 + block.readUInt32LE(at)
    const head = roundUp(textEnd)
    const count = block.readUInt32LE(head)
    // A forged length could point backwards and cause an endless loop.
    if (head <= at) throw new RangeError("a term is too long")
    if (wanted === undefined || wanted.equals(block.subarray(at + 4, textEnd)))
      yield {
        term: block.toString("utf8", at + 4, textEnd),
        items: new Uint32Array(block.buffer, block.byteOffset + head + 4, count),
      }
    at = head + 4 + count * 4
  }
}

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

/** Rounds up to a multiple of 4, where a `Uint32Array` of postings has to begin. */
const roundUp = (bytes: number): number => (bytes + 3) & ~3

export const ID_BYTES = 16
export const ROW_BYTES = 24
export const SAMPLE_EVERY = 256
const BLOCK_BYTES = 1 << 14
