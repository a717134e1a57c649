import { closeSync, readSync } from "node:fs"
import { openSync } from "../../store/files/hive-fs.ts"

/** The bytes of a file, piece by piece; a piece is valid until the next one. */
export function* piecesOf(path: string): Generator<Buffer, void, void> {
  const fd = openSync(path, "r")
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  try {
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) yield piece.subarray(0, read)
  } finally {
    closeSync(fd)
  }
}

/** The beginning of a file; "" where it cannot be read. */
export function headOf(path: string, bytes: number): string {
  try {
    let head = ""
    for (const piece of piecesOf(path)) {
      head += piece.toString()
      if (head.length >= bytes) break
    }
    return head.slice(0, bytes)
  } catch {
    return ""
  }
}

/**
 * The lines of a file as objects; undefined is a pause. At most one line is in memory. A line that is no object is left out,
 * and so is one that is longer than any message: those hold images.
 */
export function* jsonLines(
  pieces: Iterable<Buffer>,
): Generator<Record<string, unknown> | undefined, void, void> {
  for (const line of textLines(pieces)) {
    if (line === undefined) yield undefined
    else if (line.startsWith("{"))
      try {
        yield JSON.parse(line) as Record<string, unknown>
      } catch {
        // Cut off by a crash, or still being written.
      }
  }
}

export function* textLines(pieces: Iterable<Buffer>): Generator<string | undefined, void, void> {
  let held: Buffer[] = []
  let heldBytes = 0
  for (const piece of pieces) {
    let from = 0
    for (let end = piece.indexOf(NEW_LINE); end >= 0; end = piece.indexOf(NEW_LINE, from)) {
      heldBytes += end - from
      if (heldBytes <= MAX_LINE_BYTES) yield Buffer.concat([...held, piece.subarray(from, end)]).toString()
      held = []
      heldBytes = 0
      from = end + 1
    }
    heldBytes += piece.length - from
    held = heldBytes > MAX_LINE_BYTES ? [] : [...held, Buffer.from(piece.subarray(from))]
    yield undefined
  }
  if (heldBytes > 0 && heldBytes <= MAX_LINE_BYTES) yield Buffer.concat(held).toString()
}

const NEW_LINE = 0x0a
const PIECE_BYTES = 1 << 16
// Parsing more at once would hold the event loop for too long.
const MAX_LINE_BYTES = 1 << 20
