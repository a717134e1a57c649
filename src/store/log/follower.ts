import { closeSync, readSync } from "node:fs"
import { existsSync, fileSize, openIfThere, statSync } from "../files/hive-fs.ts"
import { isSealLine, type Line, MAX_LINE_BYTES, parseLine } from "./line.ts"
import { segmentPath } from "./segments.ts"

/** How far a reader has come in the log. */
export interface Position {
  segment: number
  offset: number
  /** Of the segment's file, once some of it was read. */
  inode?: number
}

export interface FollowOptions {
  /** Other lines are skipped without parsing them. */
  isWanted?: (line: Buffer) => boolean
  stopAtSeal?: boolean
  /** Of the segments' names. */
  prefix?: string
}

export interface FoundLine {
  line: Line
  position: Position
  bytes: Buffer
}

/**
 * Reads from a position to the end of the log, across segments, and moves the position along. The first seal of a
 * segment ends it: lines behind it do not count, in any process. A last line that is not whole may still be being
 * written: it is read again next time.
 */
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
      // If the seal itself is damaged, the content of the next segment shows that there was one.
      if (!hasBegun(folder, at.segment + 1, prefix)) return
      // It may have been sealed since it was read just now.
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

/** True if there is a segment of this number with an entry or a seal in it: another file may have that name. */
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

/** A torn line at the end of a segment without a writer. */
function* unfinishedLine(path: string, at: Position): Generator<FoundLine, void, void> {
  if (fileSize(path) > at.offset) yield { line: UNFINISHED, position: { ...at }, bytes: Buffer.alloc(0) }
}

/** Yields every line of one segment; `undefined` is a pause. Returns "sealed" at its end; the position is in the next one then. */
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
      // The longer the line, the larger the chunk: so that the line is not copied again with every chunk.
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
        // Before the caller gets control: nothing behind a seal is ever read.
        if (found.what === "seal") toNext(at)
        yield { line: found, position, bytes: line }
        if (found.what === "seal") return "sealed"
      }
      rest = bytes.subarray(start)
      if (skipping || rest.length > MAX_LINE_BYTES) {
        // Skip to its end.
        at.offset += rest.length
        if (!skipping) yield { line: TOO_LONG, position: { ...at }, bytes: rest }
        rest = Buffer.alloc(0)
        skipping = true
      }
      yield undefined
    }
    if (rest.length === 0 || skipping) return undefined
    // Every line begins with a newline, so the last one has none behind it: its checksum tells whether it is whole.
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

/** The open segment was replaced by another file, or cut: the log has to be read again from the start. */
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
