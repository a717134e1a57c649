import type { Entry } from "../schemas/journal.ts"
import type { HivePaths } from "./files/layout.ts"
import { segmentNumbers } from "./log/segments.ts"
import { segmentEntries } from "./replay.ts"
import { legacyEntries } from "./upgrade/legacy-log.ts"

/**
 * The log, newest first: whoever wants the last entries reads no others. `undefined` is a pause. Of a write that was
 * tried twice only the one that counted is there: the later one.
 */
export function* entriesBackwards(
  paths: HivePaths,
  isUncounted: (id: string) => boolean,
  isWanted?: (line: Buffer) => boolean,
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
    yield* newestFirst(segmentEntries(paths, number, isWanted))
  }
  yield* newestFirst(legacyEntries(paths, isWanted))
}

/** True of a line that has this text in it, as it stands in the file: what is not wanted need not even be parsed. */
export function naming(text: string): (line: Buffer) => boolean {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1))
  return (line) => line.includes(bytes)
}
