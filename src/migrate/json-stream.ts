import { createReadStream } from "node:fs"
import { systemCode } from "../shared/system-error.ts"
import { salvage } from "../store/snapshot/salvage.ts"

/** One value of a JSON file: a field of its object, or an element where that field (or the file) is a list. */
export type JsonItem =
  | { key: string; index: number | null; value: unknown }
  /** What could not be read, as text. */
  | { key: string; index: number | null; fault: string; text: string }

/** What is left of a value that is cut off. */
interface Mended {
  values: readonly unknown[]
  lost: string
}

/**
 * The values of a JSON file one by one, however large it is: no more than one of them is in memory. A value that is not
 * JSON costs only itself. Where the file is cut off, what lies behind the cut is looked through for whole records.
 */
export async function* jsonItems(
  path: string,
  mend: (text: string) => Mended = wholeRecords,
): AsyncGenerator<JsonItem, void, void> {
  const scan = openScan(mend)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield* scan.feed(chunk)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    yield { key: "", index: null, fault: `cannot be read (${systemCode(error)})`, text: "" }
    return
  }
  yield* scan.end()
}

interface Piece {
  key: string
  index: number | null
  text: Buffer
}

function openScan(mend: (text: string) => Mended) {
  let key = ""
  let index: number | null = null
  /** Containers that are open around the next byte. */
  let depth = 0
  /** Those inside of which values are yielded: the file's object, and a list in it. */
  let level = 0
  let topIsList = false
  let inString = false
  let isEscaped = false
  let name = ""
  let parts: Buffer[] = []
  let bytes = 0
  let isBroken = false

  function* feed(chunk: Buffer): Generator<JsonItem, void, void> {
    // Where the value under way begins in this chunk; -1 where none is.
    let start = bytes > 0 ? 0 : -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) inString = false
        continue
      }
      if (byte === undefined || byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB)
        continue
      if (isBroken || (level === 0 && BYTE_ORDER_MARK.has(byte))) continue
      if (depth === level && (byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || byte === COLON)) {
        const text = take(chunk, start, at)
        start = -1
        if (byte === COLON) {
          name = nameIn(text)
          continue
        }
        if (text.length > 0) yield* read({ key: inList() ? key : name, index, text })
        if (byte === COMMA) {
          if (index !== null) index++
          continue
        }
        close()
        continue
      }
      if (byte === OPEN || byte === OPEN_LIST) {
        if (start < 0 && opens(byte)) continue
        depth++
      } else if (byte === CLOSE || byte === CLOSE_LIST) depth--
      if (byte === QUOTE) inString = true
      if (start < 0) start = at
    }
    if (start < 0) return
    parts.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes > MAX_VALUE_BYTES) isBroken = true
  }

  function inList(): boolean {
    return topIsList || level === 2
  }

  /** True where a container is gone into, instead of read whole. */
  function opens(byte: number): boolean {
    if (level === 0 && depth === 0) {
      topIsList = byte === OPEN_LIST
      if (topIsList) index = 0
    } else if (level === 1 && depth === 1 && byte === OPEN_LIST && !topIsList) {
      key = name
      index = 0
    } else return false
    level++
    depth++
    return true
  }

  function close(): void {
    if (depth === 0) return
    depth--
    level--
    if (level === 1) index = null
  }

  function take(chunk: Buffer, start: number, end: number): Buffer {
    const text = Buffer.concat(start < 0 ? parts : [...parts, chunk.subarray(start, end)])
    parts = []
    bytes = 0
    return text
  }

  function* end(): Generator<JsonItem, void, void> {
    const rest = Buffer.concat(parts)
    if (depth === 0 && rest.length === 0) return
    const place = { key: inList() ? key : name, index }
    const { values, lost } = mend(rest.toString("utf8"))
    for (const value of values) yield { ...place, value }
    const text = lost.slice(0, MAX_SHOWN)
    const fault = isBroken ? `longer than ${MAX_VALUE_BYTES >> 20} MB` : "the file is cut off or damaged here"
    yield { ...place, fault, text }
  }

  return { feed, end }
}

/** For lists: each record that is whole. */
function wholeRecords(text: string): Mended {
  const { objects, lost } = salvage(text)
  return { values: objects, lost: lost.join("\n") }
}

/** For trees: all that stands before the cut, with what is open closed there. */
export function closedAtCut(text: string): Mended {
  const open: string[] = []
  let good = { end: 0, closers: "" }
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === "\\") at++
      else if (char === '"') inString = false
      continue
    }
    if (char === '"') inString = true
    else if (char === "{" || char === "[") open.push(char === "{" ? "}" : "]")
    else if (char === "}" || char === "]") open.pop()
    else if (char !== ",") continue
    if (char === '"' || char === undefined) continue
    good = { end: char === "," ? at : at + 1, closers: open.toReversed().join("") }
  }
  try {
    const value: unknown = JSON.parse(text.slice(0, good.end) + good.closers)
    return { values: [value], lost: text.slice(good.end) }
  } catch {
    return wholeRecords(text)
  }
}

function* read({ key, index, text }: Piece): Generator<JsonItem, void, void> {
  const words = text.toString("utf8").trim()
  if (words === "") return
  try {
    yield { key, index, value: JSON.parse(words) }
  } catch (error) {
    yield { key, index, fault: `not JSON: ${(error as Error).message}`, text: words.slice(0, MAX_SHOWN) }
  }
}

function nameIn(text: Buffer): string {
  try {
    return String(JSON.parse(text.toString("utf8").trim()))
  } catch {
    return "" // A broken name: its value is counted all the same.
  }
}

const CHUNK_BYTES = 1 << 16
// Of one record; all others are a few hundred bytes long.
const MAX_VALUE_BYTES = 16 << 20
const MAX_SHOWN = 1 << 20
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf])
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = 0x20
const NEWLINE = 0x0a
const RETURN = 0x0d
const TAB = 0x09
