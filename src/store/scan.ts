import type { Entry } from "../schemas/entry.ts"
import type { HivePaths } from "./files/layout.ts"
import { linesBackwards } from "./log/backwards.ts"
import type { Position } from "./log/follower.ts"
import { checkedBody, parseLine } from "./log/line.ts"
import { segmentNumbers } from "./log/segments.ts"
import { segmentEntries } from "./replay.ts"

export interface ScanOptions {
  /** How far the log reaches: what lies behind is not part of it. */
  upTo: Position
  isUncounted: (id: string) => boolean
  /** Lines that are not wanted are passed over unread. */
  isWanted?: ((line: Buffer) => boolean) | undefined
  /** Segments from before that time (ISO) are not read. */
  since?: string | undefined
  /** The entry with this id and all before it are not read. */
  after?: string | undefined
}

/**
 * The log, newest first: whoever wants the last entries reads no others. `undefined` is a pause. Of a write that was
 * tried twice only the one that counted is there: the later one.
 */
export function* entriesBackwards(
  paths: HivePaths,
  { upTo, isUncounted, isWanted = () => true, since, after }: ScanOptions,
): Generator<Entry | undefined, void, void> {
  const seen = new Set<string>()
  const last = after === undefined ? undefined : Buffer.from(`{"id":${JSON.stringify(after)},`)
  let count = 0
  for (const number of segmentNumbers(paths.log).reverse()) {
    if (number > upTo.segment) continue
    const end = number === upTo.segment ? upTo.offset : undefined
    for (const bytes of linesBackwards(paths.log, number, end)) {
      if (bytes === undefined || ++count % PAUSE_EVERY === 0) yield undefined
      if (bytes === undefined) continue
      // A line is parsed only where it is wanted: it can be long.
      if (last?.equals(bytes.subarray(0, last.length)) && checkedBody(bytes, number) !== undefined) return
      const line = isWanted(bytes) ? parseLine(bytes, number) : undefined
      if (line?.what !== "entry" || seen.has(line.entry.id) || isUncounted(line.entry.id)) continue
      seen.add(line.entry.id)
      yield line.entry
    }
    if (since !== undefined && (startOf(paths, number) ?? since) < since) return
  }
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
