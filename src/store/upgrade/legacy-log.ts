import { type Entry, entryLine, readEntry } from "../../schemas/journal.ts"
import { inLog } from "../../schemas/op.ts"
import type { HivePaths } from "../files/layout.ts"
import { historyFiles, isUpgraded, journalFiles, legacyLines } from "./legacy-files.ts"

/**
 * What HiveMind 0.1 wrote, oldest first, each entry once, as entries of today. An ordered one named the entry that it
 * followed, and of two that followed the same one the first counted.
 */
export function* legacyEntries(
  paths: HivePaths,
  isWanted: (line: Buffer) => boolean = () => true,
): Generator<Entry | undefined, void, void> {
  const seen = new Set<string>()
  const followed = new Set<unknown>()
  const journal = isUpgraded(paths) ? [] : journalFiles(paths).map((file) => file.path)
  for (const path of [...historyFiles(paths), ...journal]) {
    let count = 0
    for (const { line } of legacyLines(path)) {
      if (++count % PAUSE_EVERY === 0) yield undefined
      const found = isWanted(line) ? readLegacyLine(line) : undefined
      if (found === undefined || seen.has(found.entry.id)) continue
      if (found.after !== undefined && followed.has(found.after)) continue
      seen.add(found.entry.id)
      if (found.after !== undefined) followed.add(found.after)
      // What was only counted is not in the log today.
      if (found.entry.ops.some(inLog)) yield found.entry
    }
  }
}

/** An entry of format 1 and the one that it followed, or undefined for a line that is none. */
export function readLegacyLine(line: Buffer): { entry: Entry; after: string | null | undefined } | undefined {
  try {
    const value = JSON.parse(line.toString("utf8")) as { after?: string | null }
    const { after, ...rest } = value
    const parsed = entryLine.safeParse({ writer: LEGACY_WRITER, clock: 0, ...rest })
    return parsed.success ? { entry: readEntry(parsed.data), after } : undefined
  } catch {
    return undefined // Broken then, broken now: the upgrade notes it.
  }
}

export const LEGACY_WRITER = "format-1"
const PAUSE_EVERY = 100
