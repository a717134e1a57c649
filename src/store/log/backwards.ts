import { closeSync, fstatSync, readSync } from "node:fs"
import { openIfThere } from "../files/hive-fs.ts"
import { follow } from "./follower.ts"
import { MAX_LINE_BYTES } from "./line.ts"
import { segmentPath } from "./segments.ts"

/**
 * The lines of one segment, the last one first; `undefined` is a pause. Reads no more of the file than the caller takes.
 * `end`: where the segment ends for the caller; by default at its first seal.
 */
export function* linesBackwards(
  folder: string,
  segment: number,
  end?: number,
): Generator<Buffer | undefined, void, void> {
  const upTo = end ?? (yield* endOf(folder, segment))
  const fd = openIfThere(segmentPath(folder, segment))
  if (fd === undefined) return
  try {
    /** The pieces of the line whose start was not read yet, in their order. */
    let pieces: Buffer[] = []
    let isTooLong = false
    let chunkBytes = FIRST_CHUNK_BYTES
    for (let start = Math.min(upTo, fstatSync(fd).size); start > 0; ) {
      const from = Math.max(0, start - chunkBytes)
      const chunk = Buffer.allocUnsafe(start - from)
      const bytes = chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, from))
      let lineEnd = bytes.length
      for (let newline = lastNewline(bytes, lineEnd); newline >= 0; newline = lastNewline(bytes, lineEnd)) {
        const line = bytes.subarray(newline + 1, lineEnd)
        if (!isTooLong && (line.length > 0 || pieces.length > 0))
          yield pieces.length === 0 ? line : Buffer.concat([line, ...pieces])
        pieces = []
        isTooLong = false
        lineEnd = newline
      }
      if (lineEnd > 0) pieces.unshift(bytes.subarray(0, lineEnd))
      if (pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_LINE_BYTES) {
        isTooLong = true
        pieces = []
      }
      start = from
      chunkBytes = Math.min(chunkBytes * 2, MAX_CHUNK_BYTES)
      yield undefined
    }
    if (pieces.length > 0) yield Buffer.concat(pieces)
  } finally {
    closeSync(fd)
  }
}

/** Where the first seal of a segment ends it. Parses no other line. */
function* endOf(folder: string, segment: number): Generator<undefined, number, void> {
  const options = { isWanted: () => false, stopAtSeal: true }
  for (const found of follow(folder, { segment, offset: 0 }, options)) {
    if (found?.line.what === "seal") return found.position.offset
    yield undefined
  }
  return Number.POSITIVE_INFINITY
}

function lastNewline(bytes: Buffer, before: number): number {
  return before === 0 ? -1 : bytes.lastIndexOf(NEWLINE, before - 1)
}

const FIRST_CHUNK_BYTES = 1 << 13
const MAX_CHUNK_BYTES = 1 << 17
const NEWLINE = 0x0a
