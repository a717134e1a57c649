import { closeSync, readSync } from "node:fs"
import { openSync } from "../../store/files/hive-fs.ts"
import { type Fields, jsonIn, type Step, type Steps } from "./step.ts"

/** Reads a file in pieces. All pieces share one buffer, so each is only valid until the next one. */
export function* piecesOf(path: string): Generator<Buffer, void, void> {
  const fd = openSync(path, "r")
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  try {
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) yield piece.subarray(0, read)
  } finally {
    closeSync(fd)
  }
}

/** The beginning of a file, or "" if it cannot be read. */
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

/** Reads the steps of a JSON-lines transcript. Lines that are not objects are skipped. */
export function* stepsOfLines(
  pieces: Iterable<Buffer>,
  stepsOf: (record: Fields) => Iterable<Step>,
  rest: () => Iterable<Step> = () => [],
): Steps {
  for (const line of textLines(pieces))
    if (line === undefined) yield undefined
    else if (line.startsWith("{")) yield* stepsOf(jsonIn(line))
  yield* rest()
}

/** The lines of a file, and undefined where the caller can pause. Very long lines, which contain images, are skipped. */
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
// Parsing a longer line would block the event loop for too long.
const MAX_LINE_BYTES = 1 << 20
