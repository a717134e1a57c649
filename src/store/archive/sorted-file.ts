import { closeSync, fstatSync, readSync } from "node:fs"
import { StringDecoder } from "node:string_decoder"
import type { Pausing } from "../../shared/slices.ts"
import { isMissing, openSync, writeWhole } from "../files/hive-fs.ts"

/** A file of JSON lines sorted by id, each line starting with its id. A binary search finds a line with a few reads. */
function openSorted(path: string) {
  const fd = openSync(path, "r")
  const { size } = fstatSync(fd)
  let scratch = Buffer.allocUnsafe(0)
  /** Cache of search steps: the first ones of every search are the same. */
  const seen = new Map<number, Place | undefined>()

  /** The line that starts at or after an offset; undefined at the end. */
  function lineFrom(offset: number): (Place & { line: string }) | undefined {
    // Usually one read is enough for the end of a line and the whole next one.
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

  function look(offset: number, onLine: (line: string) => void): Place | undefined {
    if (seen.has(offset)) return seen.get(offset)
    const found = lineFrom(offset)
    if (found !== undefined) onLine(found.line)
    const place = found && { start: found.start, id: found.id }
    if (seen.size < MAX_SEEN) seen.set(offset, place)
    return place
  }

  /** An offset at or shortly before the first line from an id on. */
  function shortlyBefore(id: string, onLine: (line: string) => void): number {
    let low = 0
    let high = size
    while (high - low > WINDOW_BYTES) {
      const middle = Math.floor((low + high) / 2)
      const found = look(middle, onLine)
      if (found === undefined || found.id >= id) high = middle
      else low = found.start
    }
    return low
  }

  /** Every line from one that starts at this offset. */
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
      // A search for one line needs little more than the first chunk.
      if (chunk.length < READ_BYTES) chunk = Buffer.allocUnsafe(chunk.length * 4)
    }
    if (rest !== "") yield rest
  }

  return {
    /** The lines from an id on. Calls `onLine` for every line that the search reads. */
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

type SortedFile = ReturnType<typeof openSorted>

/** Where a line starts, and its id. */
interface Place {
  start: number
  id: string
}

/** The lines of a sorted file from an id on; none if there is no such file. */
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

/** Undefined if there is no such file, or if opening it fails and `onFailure` gets the error. */
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

/** Merges sorted sources; of lines with the same id, takes that of the last source. */
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
    // A caller that stops early must not leave their files open.
    for (const source of sources) source.return?.()
  }
}

/** Writes sorted lines into a new file, without fsync; pauses between pieces. */
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

/** The id that a line starts with. */
export function idOf(line: string): string {
  return line.slice(ID_START.length, ID_START.length + ID_CHARS)
}

const ID_START = '{"id":"'
const ID_CHARS = 36
const CHUNK_BYTES = 1 << 12
const WINDOW_BYTES = 1 << 12
// Some megabytes, while a file is open.
const MAX_SEEN = 1 << 16
const READ_BYTES = 1 << 16
const WRITE_CHARS = 1 << 16
const NEWLINE = 0x0a
