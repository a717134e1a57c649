import { closeSync, fstatSync, readSync } from "node:fs"
import { StringDecoder } from "node:string_decoder"
import type { Pausing } from "../../shared/slices.ts"
import { isMissing, openSync, writeWhole } from "../files/hive-fs.ts"

/** A file of JSON lines sorted by id. A binary search finds a line with a few reads. */
function openSorted(path: string) {
  const fd = openSync(path, "r")
  const { size } = fstatSync(fd)
  let scratch = Buffer.allocUnsafe(0)
  /** Caches the line found at each offset: all binary searches begin with the same offsets. */
  const seen = new Map<number, Place | undefined>()

  /** Reads the first line that starts at or after an offset; undefined at the end of the file. */
  function lineFrom(offset: number): (Place & { line: string }) | undefined {
    // One chunk usually contains the whole line.
    for (let length = CHUNK_BYTES; ; length *= 4) {
      const from = Math.max(0, offset - 1)
      if (scratch.length < length) scratch = Buffer.allocUnsafe(length)
      const bytes = scratch.subarray(0, readSync(fd, scratch, 0, length, from))
      const isAll = from + bytes.length >= size || bytes.length === 0
      const newline = offset === 0 ? -1 : bytes.indexOf(NEWLINE)
      if (offset > 0 && newline < 0) {
        if (isAll) return undefined
        continue
      }
      const end = bytes.indexOf(NEWLINE, newline + 1)
      if (end < 0 && !isAll) continue
      const line = bytes.toString("utf8", newline + 1, end < 0 ? bytes.length : end)
      return line === "" ? undefined : { start: from + newline + 1, id: idOf(line), line }
    }
  }

  function placeAt(offset: number, onLine: (line: string) => void): Place | undefined {
    if (seen.has(offset)) return seen.get(offset)
    const found = lineFrom(offset)
    if (found !== undefined) onLine(found.line)
    const place = found && { start: found.start, id: found.id }
    if (seen.size < MAX_SEEN) seen.set(offset, place)
    return place
  }

  /** Returns an offset shortly before the line with this id. */
  function shortlyBefore(id: string, onLine: (line: string) => void): number {
    let low = 0
    let high = size
    while (high - low > WINDOW_BYTES) {
      const middle = Math.floor((low + high) / 2)
      const found = placeAt(middle, onLine)
      if (found === undefined || found.id >= id) high = middle
      else low = found.start
    }
    return low
  }

  function* linesAt(offset: number): Generator<string, void, void> {
    let rest = ""
    const decoder = new StringDecoder("utf8")
    let chunk = Buffer.allocUnsafe(WINDOW_BYTES)
    for (let at = offset; at < size; ) {
      const count = readSync(fd, chunk, 0, chunk.length, at)
      if (count === 0) break
      at += count
      const lines = (rest + decoder.write(chunk.subarray(0, count))).split("\n")
      rest = lines.pop() ?? ""
      yield* lines
      // Chunks start small, because a search for one line rarely needs more than the first.
      if (chunk.length < READ_BYTES) chunk = Buffer.allocUnsafe(chunk.length * 4)
    }
    if (rest !== "") yield rest
  }

  return {
    /** Yields all lines from this id on. `onLine` gets every line that the search reads. */
    *from(id: string, onLine: (line: string) => void): Generator<string, void, void> {
      let isFound = id === ""
      for (const line of linesAt(isFound ? 0 : shortlyBefore(id, onLine))) {
        if (!isFound) onLine(line)
        isFound ||= idOf(line) >= id
        if (isFound) yield line
      }
    },
    close: () => closeSync(fd),
  }
}

export type SortedFile = ReturnType<typeof openSorted>

type Place = { start: number; id: string }

export function* linesFrom(
  path: string,
  id: string,
  onLine: (line: string) => void = () => {},
  onFailure?: (error: unknown) => void,
): Generator<string, void, void> {
  const file = openIfThere(path, onFailure)
  if (file === undefined) return
  try {
    yield* file.from(id, onLine)
  } finally {
    file.close()
  }
}

/** Returns undefined if the file is missing, or if `onFailure` has taken the error. */
export function openIfThere(path: string, onFailure?: (error: unknown) => void): SortedFile | undefined {
  try {
    return openSorted(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    if (onFailure === undefined) throw error
    onFailure(error)
    return undefined
  }
}

/** Merges sorted lines. Of lines with the same id, it yields only the one from the last source. */
export function* mergeSorted(sources: readonly Iterator<string>[]): Generator<string, void, void> {
  const next = (source: Iterator<string>): string | undefined => {
    const { done, value } = source.next()
    return done ? undefined : value
  }
  try {
    const heads = sources.map(next)
    for (;;) {
      let least: string | undefined
      for (const head of heads)
        if (head !== undefined && (least === undefined || idOf(head) <= idOf(least))) least = head
      if (least === undefined) return
      yield least
      for (const [index, source] of sources.entries()) {
        for (let head = heads[index]; head !== undefined && idOf(head) === idOf(least); head = heads[index])
          heads[index] = next(source)
      }
    }
  } finally {
    // A caller that stops early must not leave files open.
    for (const source of sources) source.return?.()
  }
}

/** Writes a new file without an fsync. */
export function* writeSorted(
  path: string,
  lines: Iterable<string>,
): Pausing<{ count: number; bytes: number }> {
  const fd = openSync(path, "wx")
  try {
    let text = ""
    let count = 0
    for (const line of lines) {
      count++
      text += `${line}\n`
      if (text.length < WRITE_CHARS) continue
      writeWhole(fd, text)
      text = ""
      yield
    }
    writeWhole(fd, text)
    return { count, bytes: fstatSync(fd).size }
  } finally {
    closeSync(fd)
  }
}

export function idOf(line: string): string {
  return line.slice(ID_START.length, ID_START.length + ID_CHARS)
}

const ID_START = '{"id":"'
const ID_CHARS = 36
const CHUNK_BYTES = 1 << 12
const WINDOW_BYTES = 1 << 12
// Limits the cache of offsets to a few megabytes.
const MAX_SEEN = 1 << 16
const READ_BYTES = 1 << 16
const WRITE_CHARS = 1 << 16
const NEWLINE = 0x0a
