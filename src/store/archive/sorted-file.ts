import { closeSync, fstatSync, fsyncSync, openSync, readSync } from "node:fs"
import { StringDecoder } from "node:string_decoder"
import type { Pausing } from "../../shared/slices.ts"
import { systemCode } from "../../shared/system-error.ts"
import { writeWhole } from "../files/atomic-write.ts"

/**
 * A file of JSON lines in the order of their ids, each line starting with its id. Any of them is found with a few
 * reads, however long the file is.
 */
function openSorted(path: string) {
  const fd = openSync(path, "r")
  const { size } = fstatSync(fd)
  // What was read last: a line mostly ends in the chunk that it is looked for in, and a search reads dozens of them.
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let heldFrom = 0
  let held = 0

  /** The line that starts at or after an offset, and where it starts; undefined at the end. */
  function lineFrom(offset: number): { start: number; end: number; line: string } | undefined {
    let start = offset
    if (offset > 0) {
      const newline = find(offset - 1)
      if (newline < 0) return undefined
      start = newline + 1
    }
    if (start >= size) return undefined
    const newline = find(start)
    const end = newline < 0 ? size : newline
    return { start, end, line: textBetween(start, end) }
  }

  /** The next newline at or after an offset, or -1. */
  function find(offset: number): number {
    for (let at = offset; at < size; ) {
      if (!isHeld(at)) hold(at)
      if (!isHeld(at)) break
      const newline = chunk.subarray(at - heldFrom, held).indexOf(NEWLINE)
      if (newline >= 0) return at + newline
      at = heldFrom + held
    }
    return -1
  }

  function textBetween(start: number, end: number): string {
    if (start < heldFrom || end > heldFrom + held) {
      const bytes = Buffer.allocUnsafe(end - start)
      readSync(fd, bytes, 0, end - start, start)
      return bytes.toString("utf8")
    }
    return chunk.toString("utf8", start - heldFrom, end - heldFrom)
  }

  function isHeld(at: number): boolean {
    return at >= heldFrom && at < heldFrom + held
  }

  function hold(at: number): void {
    held = readSync(fd, chunk, 0, CHUNK_BYTES, at)
    heldFrom = at
  }

  /** Where the first line begins whose id is not before this one. Every line that it looks at is shown to `look`. */
  function lowerBound(id: string, look: (line: string) => void): number {
    let low = 0
    let high = size
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const found = lineFrom(middle)
      if (found !== undefined) look(found.line)
      if (found === undefined || idOf(found.line) >= id) high = middle
      else low = found.start + 1
    }
    return low
  }

  return {
    size,
    /** Lines from the first whose id is not before this one. */
    *from(id: string, look: (line: string) => void): Generator<string, void, void> {
      const first = lineFrom(id === "" ? 0 : lowerBound(id, look))
      if (first === undefined) return
      yield first.line
      let rest = ""
      const decoder = new StringDecoder("utf8")
      const many = Buffer.allocUnsafe(READ_BYTES)
      for (let at = first.end + 1; at < size; ) {
        const count = readSync(fd, many, 0, READ_BYTES, at)
        if (count === 0) break
        at += count
        const lines = (rest + decoder.write(many.subarray(0, count))).split("\n")
        rest = lines.pop() ?? ""
        yield* lines
      }
      if (rest !== "") yield rest
    },
    close: () => closeSync(fd),
  }
}

/** The lines of a sorted file from the first whose id is not before this one; none where there is no such file. */
export function* linesFrom(
  path: string,
  id: string,
  look: (line: string) => void = () => {},
): Generator<string, void, void> {
  const file = openIfThere(path)
  if (file === undefined) return
  try {
    yield* file.from(id, look)
  } finally {
    file.close()
  }
}

function openIfThere(path: string): ReturnType<typeof openSorted> | undefined {
  try {
    return openSorted(path)
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    throw error
  }
}

/** The lines of several sorted sources in one order; of lines with the same id, that of the last source. */
export function* mergeSorted(sources: readonly Iterator<string>[]): Generator<string, void, void> {
  const next = (source: Iterator<string>): string | undefined => {
    const { done, value } = source.next()
    return done ? undefined : value
  }
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
}

/** Writes lines that are in order into a new file, safe on disk at the end; pauses between pieces. */
export function* writeSorted(
  path: string,
  lines: Iterable<string>,
): Pausing<{ count: number; bytes: number }> {
  const fd = openSync(path, "w")
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
    fsyncSync(fd)
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
const READ_BYTES = 1 << 16
const WRITE_CHARS = 1 << 18
const NEWLINE = 0x0a
