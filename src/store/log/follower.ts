import { closeSync, fstatSync, readSync } from "node:fs"
import { existsSync, fileSize, openIfThere, statSync } from "../files/hive-fs.ts"
import { isSealLine, type Line, MAX_LINE_BYTES, parseLine } from "./line.ts"
import { segmentPath } from "./segments.ts"

export interface Position {
  segment: number
  offset: number
  /** The inode of the segment's file; undefined before anything was read. */
  inode?: number
}

type FollowOptions = { isWanted?: (line: Buffer) => boolean; stopAtSeal?: boolean; prefix?: string }

export type FoundLine = { line: Line; position: Position; bytes: Buffer }

/** Reads lines from the position `at`, across segments, and moves `at` forward. A segment ends at its first seal. */
export function* follow(
  folder: string,
  at: Position,
  { isWanted = () => true, stopAtSeal = false, prefix = "" }: FollowOptions = {},
): Generator<FoundLine | undefined, void, void> {
  for (;;) {
    const path = segmentPath(folder, at.segment, prefix)
    let sealed = yield* followSegment(path, at, isWanted)
    if (stopAtSeal) return
    if (sealed === undefined) {
      // If the next segment has content, this one was sealed, even if its seal is unreadable.
      if (!hasBegun(folder, at.segment + 1, prefix)) return
      // Another process may have written the seal since, so the rest is read again.
      sealed = yield* followSegment(path, at, isWanted)
      if (sealed === undefined) yield* unfinishedLine(path, at)
    }
    if (sealed === undefined) toNext(at)
  }
}

function toNext(at: Position): void {
  at.segment++
  at.offset = 0
}

/** True if the segment has a valid line. Foreign files may have a segment's name. */
function hasBegun(folder: string, segment: number, prefix: string): boolean {
  const path = segmentPath(folder, segment, prefix)
  if (!existsSync(path)) return false
  let chunks = 0
  for (const found of followSegment(path, { segment, offset: 0 }, () => true)) {
    if (found !== undefined && found.line.what !== "broken") return true
    if (found === undefined && ++chunks > CHUNKS_TO_BEGIN) return false
  }
  return false
}

/** Reports a torn last line that no process will complete. */
function* unfinishedLine(path: string, at: Position): Generator<FoundLine, void, void> {
  if (fileSize(path) > at.offset) yield { line: UNFINISHED, position: { ...at }, bytes: Buffer.alloc(0) }
}

/** Reads one segment; `undefined` is a pause. At the seal, moves `at` to the next segment and returns "sealed". */
function* followSegment(
  path: string,
  at: Position,
  isWanted: (line: Buffer) => boolean,
): Generator<FoundLine | undefined, "sealed" | undefined, void> {
  const { size, ino } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, ino: 0 }
  if (at.offset > 0 && (size < at.offset || ino !== at.inode)) throw new ReplacedLog(at.segment)
  at.inode = ino
  if (size === at.offset) return undefined
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  try {
    let rest = Buffer.alloc(0)
    let skipping = false
    let readTo = at.offset
    while (readTo < size) {
      // The chunk grows with a long line, so that the line is not copied again with every chunk.
      const chunk = Buffer.allocUnsafe(Math.min(Math.max(CHUNK_BYTES, rest.length), size - readTo))
      const count = readSync(fd, chunk, 0, chunk.length, readTo)
      if (count === 0) break
      readTo += count
      const bytes =
        rest.length === 0 ? chunk.subarray(0, count) : Buffer.concat([rest, chunk.subarray(0, count)])
      let start = 0
      for (;;) {
        const newline = bytes.indexOf(NEWLINE, Math.max(start, rest.length))
        if (newline < 0) break
        const line = bytes.subarray(start, newline)
        const length = newline + 1 - start
        const isSkipped = skipping || line.length === 0 || !(isWanted(line) || isSealLine(line))
        const found = isSkipped ? undefined : parseLine(line, at.segment)
        skipping = false
        start = newline + 1
        at.offset += length
        if (found === undefined) continue
        const position = { ...at }
        // Moves `at` before the caller gets the seal, because lines after a seal are never read.
        if (found.what === "seal") toNext(at)
        yield { line: found, position, bytes: line }
        if (found.what === "seal") return "sealed"
      }
      rest = bytes.subarray(start)
      if (skipping || rest.length > MAX_LINE_BYTES) {
        at.offset += rest.length
        if (!skipping) yield { line: TOO_LONG, position: { ...at }, bytes: rest }
        rest = Buffer.alloc(0)
        skipping = true
      }
      yield undefined
    }
    if (rest.length === 0 || skipping) return undefined
    // The last line has no newline after it yet. Its checksum tells whether it is complete.
    const last = parseLine(rest, at.segment)
    if (last.what === "broken" || !(isWanted(rest) || last.what === "seal")) return undefined
    at.offset += rest.length
    const position = { ...at }
    if (last.what === "seal") toNext(at)
    yield { line: last, position, bytes: rest }
    return last.what === "seal" ? "sealed" : undefined
  } finally {
    closeSync(fd)
  }
}

/** Thrown if the open segment was replaced or shortened. The log must be read again from its start. */
export class ReplacedLog extends Error {
  constructor(segment: number) {
    super(`segment ${segment} is not the file it was`)
  }
}

const CHUNK_BYTES = 1 << 17
const NEWLINE = 0x0a
const CHUNKS_TO_BEGIN = 8
const UNFINISHED: Line = { what: "broken", reason: "the last line of the segment is torn or damaged" }
const TOO_LONG: Line = { what: "broken", reason: "the line is longer than any that HiveMind writes" }

/** Reads a segment's lines lazily, the last one first; `undefined` is a pause. `end` defaults to the seal. */
export function* linesBackwards(
  folder: string,
  segment: number,
  end?: number,
): Generator<Buffer | undefined, void, void> {
  const upTo = end ?? (yield* endOf(folder, segment))
  const fd = openIfThere(segmentPath(folder, segment))
  if (fd === undefined) return
  try {
    /** Pieces of a line whose beginning was not read yet. */
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

/** Finds the end of the first seal without parsing other lines. */
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
