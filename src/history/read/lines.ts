import { closeSync, readSync } from "node:fs"
import { openSync } from "../../store/files/hive-fs.ts"

/** Bytes that are read piece by piece. */
export interface Pieces {
  /** Fills the buffer from here on; 0 at the end. */
  next(into: Buffer): number
  close(): void
}

export function filePieces(path: string): Pieces {
  const fd = openSync(path, "r")
  return { next: (into) => readSync(fd, into, 0, into.length, null), close: () => closeSync(fd) }
}

/** The beginning of a file; "" where it cannot be read. */
export function headOf(path: string, bytes: number): string {
  try {
    const fd = openSync(path, "r")
    try {
      const head = Buffer.alloc(bytes)
      return head.toString("utf8", 0, readSync(fd, head, 0, bytes, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ""
  }
}

export function bufferPieces(bytes: Buffer): Pieces {
  let at = 0
  return {
    next(into) {
      const copied = bytes.copy(into, 0, at)
      at += copied
      return copied
    },
    close: () => {},
  }
}

/**
 * The lines of a file as objects; undefined is a pause. At most one line is in memory. A line that is no object is left out,
 * and so is one that is longer than any message: those hold images.
 */
export function* jsonLines(pieces: Pieces): Generator<Record<string, unknown> | undefined, void, void> {
  for (const line of textLines(pieces)) {
    if (line === undefined) yield undefined
    else if (line.startsWith("{")) {
      let parsed: unknown
      try {
        parsed = JSON.parse(line)
      } catch {
        continue // Cut off by a crash, or still being written.
      }
      yield parsed as Record<string, unknown>
    }
  }
}

export function* textLines(pieces: Pieces): Generator<string | undefined, void, void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  let held: Buffer[] = []
  let heldBytes = 0
  try {
    for (let read = pieces.next(piece); read > 0; read = pieces.next(piece)) {
      let from = 0
      for (let end = piece.indexOf(NEW_LINE); end >= 0 && end < read; end = piece.indexOf(NEW_LINE, from)) {
        heldBytes += end - from
        if (heldBytes <= MAX_LINE_BYTES) yield Buffer.concat([...held, piece.subarray(from, end)]).toString()
        held = []
        heldBytes = 0
        from = end + 1
      }
      heldBytes += read - from
      if (heldBytes > MAX_LINE_BYTES) held = []
      else held.push(Buffer.from(piece.subarray(from, read)))
      yield undefined
    }
    if (heldBytes > 0 && heldBytes <= MAX_LINE_BYTES) yield Buffer.concat(held).toString()
  } finally {
    pieces.close()
  }
}

const NEW_LINE = 0x0a
const PIECE_BYTES = 1 << 16
// Parsing more at once would hold the event loop for too long.
const MAX_LINE_BYTES = 1 << 20
