import type { Entry } from "../schemas/entry.ts"
import type { HivePaths } from "./files/layout.ts"
import { parseLine } from "./log/line.ts"
import { segmentNumbers } from "./log/segments.ts"
import { segmentEntries } from "./replay.ts"
import { legacyEntries } from "./upgrade/legacy-log.ts"

export interface ScanOptions {
  /** The segment that the log reaches to: files with a higher number are not part of it. */
  upTo: number
  isUncounted: (id: string) => boolean
  /** Lines that are not wanted are passed over unread. */
  isWanted?: ((line: Buffer) => boolean) | undefined
  /** Segments from before that time (ISO) are not read. */
  since?: string | undefined
  /** Without what an older version wrote, which has another order. */
  isOwnFormat?: boolean | undefined
}

/**
 * The log, newest first: whoever wants the last entries reads no others. `undefined` is a pause. Of a write that was
 * tried twice only the one that counted is there: the later one.
 */
export function* entriesBackwards(
  paths: HivePaths,
  { upTo, isUncounted, isWanted, since, isOwnFormat }: ScanOptions,
): Generator<Entry | undefined, void, void> {
  const seen = new Set<string>()
  function* counted(entries: Iterable<Entry | undefined>): Generator<Entry | undefined, void, void> {
    for (const entry of entries) {
      if (entry === undefined) yield undefined
      else if (!seen.has(entry.id) && !isUncounted(entry.id)) {
        seen.add(entry.id)
        yield entry
      }
    }
  }
  for (const number of segmentNumbers(paths.log).reverse()) {
    if (number > upTo) continue
    yield* counted(segmentBackwards(paths, number, isWanted))
    if (since !== undefined && (startOf(paths, number) ?? since) < since) return
  }
  if (!isOwnFormat) yield* counted(reversed(legacyEntries(paths, isWanted)))
}

/** Which lines of a segment count is known at its end; each is parsed only where somebody asks for it. */
function* segmentBackwards(
  paths: HivePaths,
  number: number,
  isWanted: (line: Buffer) => boolean = () => true,
): Generator<Entry | undefined, void, void> {
  const lines: Buffer[] = []
  const keep = (line: Buffer): boolean => {
    if (isWanted(line)) lines.push(line)
    return false
  }
  for (const _ of segmentEntries(paths, number, keep)) yield undefined
  for (const [n, bytes] of lines.reverse().entries()) {
    const line = parseLine(bytes, number)
    if (line.what === "entry") yield line.entry
    if (n % PAUSE_EVERY === 0) yield undefined
  }
}

function* reversed(entries: Iterable<Entry | undefined>): Generator<Entry | undefined, void, void> {
  const found: Entry[] = []
  for (const entry of entries) {
    if (entry === undefined) yield undefined
    else found.push(entry)
  }
  yield* found.reverse()
}

/** When the first entry of a segment came here; not parsed for that, because a line can be long. */
function startOf(paths: HivePaths, number: number): string | undefined {
  let start: string | undefined
  const look = (line: Buffer): boolean => {
    start ??= timeAfter(line, BROUGHT) ?? timeAfter(line, AT)
    return false
  }
  for (const _ of segmentEntries(paths, number, look)) if (start !== undefined) break
  return start
}

function timeAfter(line: Buffer, mark: Buffer): string | undefined {
  const found = line.indexOf(mark)
  if (found < 0) return undefined
  const begin = found + mark.length
  const text = line.toString("latin1", begin, begin + MAX_TIME_CHARS)
  return /^\d{4}-[^"]*Z/.exec(text)?.[0]
}

const PAUSE_EVERY = 20
// Within a text their quotes would not stand like that; an entry's own time comes before those of its records.
const BROUGHT = Buffer.from('"brought":"')
const AT = Buffer.from('"at":"')
const MAX_TIME_CHARS = 30
