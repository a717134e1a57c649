import { closeSync, readFileSync, readSync } from "node:fs"
import { openSync } from "../../store/files/hive-fs.ts"

/** A value of a column; blobs are not needed and come as null. */
export type Row = Readonly<Record<string, string | number | null>>

/** The file is damaged, or was changed while it was read. */
export class UnreadableDatabase extends Error {}

/**
 * Reads an SQLite database without a library: its tables, its indexes, and what stands in the write-ahead log only. Never
 * writes and takes no lock, so the program that owns the database is not disturbed.
 * Format: https://www.sqlite.org/fileformat2.html
 */
export class Sqlite {
  readonly #fd: number
  readonly #pageBytes: number
  readonly #usable: number
  readonly #log: { bytes: Buffer; frames: ReadonlyMap<number, number> }
  readonly #pages = new Map<number, Buffer>()
  readonly #trees = new Map<string, { root: number; columns: readonly string[]; table: string }>()

  constructor(path: string) {
    this.#fd = openSync(path, "r")
    const head = Buffer.alloc(100)
    readSync(this.#fd, head, 0, 100, 0)
    const size = head.readUInt16BE(16)
    this.#pageBytes = size === 1 ? 65_536 : size
    this.#usable = this.#pageBytes - head.readUInt8(20)
    this.#log = readLog(`${path}-wal`)
    if (head.toString("latin1", 0, 15) !== "SQLite format 3" || this.#pageBytes < 512)
      throw new UnreadableDatabase(path)
    const schema = ["type", "name", "tbl_name", "rootpage", "sql"]
    for (const { name, tbl_name, rootpage, sql } of this.#scan(1, schema))
      if (typeof rootpage === "number" && rootpage > 0)
        this.#trees.set(String(name), {
          root: rootpage,
          columns: columnsIn(String(sql ?? "")),
          table: String(tbl_name),
        })
  }

  close(): void {
    closeSync(this.#fd)
    this.#pages.clear()
  }

  has(table: string): boolean {
    return this.#trees.has(table)
  }

  /** All rows of a table. */
  rows(table: string): Generator<Row, void, void> {
    const { root, columns } = this.#tree(table)
    return this.#scan(root, columns)
  }

  /** The rows whose first column of an index has this value, in the order of the index. */
  *rowsBy(index: string, key: string): Generator<Row, void, void> {
    const { root, table } = this.#tree(index)
    const { root: tableRoot, columns } = this.#tree(table)
    for (const rowid of this.#search(root, Buffer.from(key))) {
      const payload = this.#find(tableRoot, rowid)
      if (payload !== undefined) yield rowFrom(payload, columns)
    }
  }

  #tree(name: string) {
    const tree = this.#trees.get(name)
    if (tree === undefined) throw new UnreadableDatabase(`no ${name}`)
    return tree
  }

  #page(number: number): Buffer {
    const known = this.#pages.get(number)
    if (known !== undefined) return known
    const frame = this.#log.frames.get(number)
    let page = Buffer.alloc(this.#pageBytes)
    if (frame !== undefined) page = this.#log.bytes.subarray(frame, frame + this.#pageBytes) as typeof page
    else if (readSync(this.#fd, page, 0, page.length, (number - 1) * page.length) < page.length)
      throw new UnreadableDatabase(`page ${number}`)
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear()
    this.#pages.set(number, page)
    return page
  }

  /** Type, cells and last child of a page. */
  #cells(number: number): { page: Buffer; type: number; cells: number[]; last: number } {
    const page = this.#page(number)
    const head = number === 1 ? 100 : 0
    const type = page[head] ?? 0
    const isInner = type === INNER_TABLE || type === INNER_INDEX
    if (!isInner && type !== LEAF_TABLE && type !== LEAF_INDEX) throw new UnreadableDatabase(`page ${number}`)
    const first = head + (isInner ? 12 : 8)
    const count = page.readUInt16BE(head + 3)
    if (first + count * 2 > page.length) throw new UnreadableDatabase(`page ${number}`)
    const cells = Array.from({ length: count }, (_, at) => page.readUInt16BE(first + at * 2))
    return { page, type, cells, last: isInner ? page.readUInt32BE(head + 8) : 0 }
  }

  *#scan(root: number, columns: readonly string[], depth = 0): Generator<Row, void, void> {
    const { page, type, cells, last } = this.#cells(root)
    for (const at of cells)
      if (type === LEAF_TABLE) yield rowFrom(this.#payload(page, at, true), columns)
      else yield* this.#scan(page.readUInt32BE(at), columns, deeper(depth))
    if (last > 0) yield* this.#scan(last, columns, deeper(depth))
  }

  /** The row ids behind the entries of an index that begin with this text. */
  *#search(root: number, key: Buffer, depth = 0): Generator<number, void, void> {
    const { page, type, cells, last } = this.#cells(root)
    for (const at of cells) {
      const isInner = type === INNER_INDEX
      const values = valuesIn(this.#payload(page, isInner ? at + 4 : at, false))
      const order = Buffer.from(String(values[0] ?? "")).compare(key)
      if (isInner && order >= 0) yield* this.#search(page.readUInt32BE(at), key, deeper(depth))
      if (order === 0) yield Number(values.at(-1))
      if (order > 0) return
    }
    if (last > 0) yield* this.#search(last, key, deeper(depth))
  }

  #find(root: number, rowid: number): Buffer | undefined {
    for (let number = root, depth = 0; ; depth = deeper(depth)) {
      const { page, type, cells, last } = this.#cells(number)
      const isLeaf = type === LEAF_TABLE
      const keyOf = (at: number) => varint(page, isLeaf ? varint(page, at).end : at + 4).value
      let [low, high] = [0, cells.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (keyOf(cells[middle] ?? 0) < rowid) low = middle + 1
        else high = middle
      }
      const at = cells[low]
      if (isLeaf) return at !== undefined && keyOf(at) === rowid ? this.#payload(page, at, true) : undefined
      number = at === undefined ? last : page.readUInt32BE(at)
    }
  }

  /** The record of a cell, with what stands on overflow pages. */
  #payload(page: Buffer, at: number, isTable: boolean): Buffer {
    const size = varint(page, at)
    const from = isTable ? varint(page, size.end).end : size.end
    const most = isTable ? this.#usable - 35 : Math.floor(((this.#usable - 12) * 64) / 255) - 23
    if (size.value <= most) return page.subarray(from, from + size.value)
    const least = Math.floor(((this.#usable - 12) * 32) / 255) - 23
    const fitting = least + ((size.value - least) % (this.#usable - 4))
    const local = fitting <= most ? fitting : least
    const pieces = [page.subarray(from, from + local)]
    let left = size.value - local
    for (let next = page.readUInt32BE(from + local); next > 0 && left > 0; ) {
      const more = this.#page(next)
      pieces.push(more.subarray(4, 4 + Math.min(left, this.#usable - 4)))
      left -= this.#usable - 4
      next = more.readUInt32BE(0)
    }
    return Buffer.concat(pieces)
  }
}

/** The newest committed version of each page in the write-ahead log, by its place in the file. */
function readLog(path: string): { bytes: Buffer; frames: Map<number, number> } {
  const frames = new Map<number, number>()
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return { bytes: Buffer.alloc(0), frames } // There is none after a clean end.
  }
  if (bytes.length < 32) return { bytes, frames }
  const pageBytes = bytes.readUInt32BE(8)
  let open: [page: number, at: number][] = []
  for (let at = 32; at + 24 + pageBytes <= bytes.length; at += 24 + pageBytes) {
    // Frames behind the end are of an earlier round of the log.
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) break
    open.push([bytes.readUInt32BE(at), at + 24])
    if (bytes.readUInt32BE(at + 4) === 0) continue
    for (const [page, place] of open) frames.set(page, place)
    open = []
  }
  return { bytes, frames }
}

function rowFrom(payload: Buffer, columns: readonly string[]): Row {
  const values = valuesIn(payload)
  return Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null]))
}

function valuesIn(record: Buffer): (string | number | null)[] {
  const head = varint(record, 0)
  const values: (string | number | null)[] = []
  for (let type = head.end, at = head.value; type < head.value; ) {
    const serial = varint(record, type)
    type = serial.end
    const bytes =
      serial.value >= 12 ? (serial.value - (12 + (serial.value % 2))) / 2 : (FIXED_BYTES[serial.value] ?? 0)
    values.push(valueAt(record, at, serial.value, bytes))
    at += bytes
  }
  return values
}

function valueAt(record: Buffer, at: number, serial: number, bytes: number): string | number | null {
  if (serial >= 13 && serial % 2 === 1) return record.toString("utf8", at, at + bytes)
  if (serial === 0 || serial >= 10) return null
  if (serial >= 8) return serial - 8
  if (serial === 7) return record.readDoubleBE(at)
  return bytes === 8 ? Number(record.readBigInt64BE(at)) : record.readIntBE(at, bytes)
}

function varint(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new UnreadableDatabase("number")
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return { value: value * 256 + (bytes[from + 8] ?? 0), end: from + 9 }
}

/** The columns of a `CREATE TABLE`. */
function columnsIn(sql: string): string[] {
  const inner = sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")"))
  return inner
    .replaceAll(/\([^()]*\)/g, "")
    .split(",")
    .map((part) => /^\s*[`"[]?(\w+)/.exec(part)?.[1] ?? "")
    .filter((name) => name !== "" && !/^(CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK)$/i.test(name))
}

/** A damaged tree may lead to itself. */
function deeper(depth: number): number {
  if (depth >= MAX_DEPTH) throw new UnreadableDatabase("circle")
  return depth + 1
}

const INNER_INDEX = 2
const INNER_TABLE = 5
const LEAF_INDEX = 10
const LEAF_TABLE = 13
const FIXED_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
const MAX_PAGES = 500
const MAX_DEPTH = 20
