import { arrivalOf, type Entry } from "../schemas/entry.ts"
import type { HivePaths } from "./files/layout.ts"
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
  function* newestFirst(entries: Iterable<Entry | undefined>): Generator<Entry | undefined, void, void> {
    const found: Entry[] = []
    for (const entry of entries) {
      if (entry === undefined) yield undefined
      else found.push(entry)
    }
    for (const entry of found.reverse()) {
      if (seen.has(entry.id) || isUncounted(entry.id)) continue
      seen.add(entry.id)
      yield entry
    }
  }
  for (const number of segmentNumbers(paths.log).reverse()) {
    if (number > upTo) continue
    yield* newestFirst(segmentEntries(paths, number, isWanted))
    if (since !== undefined && (startOf(paths, number) ?? since) < since) return
  }
  if (!isOwnFormat) yield* newestFirst(legacyEntries(paths, isWanted))
}

/** When the first entry of a segment was written. */
function startOf(paths: HivePaths, number: number): string | undefined {
  for (const entry of segmentEntries(paths, number)) if (entry !== undefined) return arrivalOf(entry)
  return undefined
}

/** True of a line that has this text in it, as it stands in the file: what is not wanted need not even be parsed. */
export function naming(text: string): (line: Buffer) => boolean {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1))
  return (line) => line.includes(bytes)
}
