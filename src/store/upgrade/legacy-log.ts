import { type Entry, entryLine, readEntry } from "../../schemas/entry.ts"
import { inLog } from "../../schemas/op.ts"
import type { HivePaths } from "../files/layout.ts"
import { historyFiles, isUpgraded, journalFiles, legacyLines } from "./legacy-files.ts"

/** What HiveMind 0.1 wrote, oldest first, each entry once, as entries of today. */
export function* legacyEntries(
  paths: HivePaths,
  isWanted: (line: Buffer) => boolean = () => true,
): Generator<Entry | undefined, void, void> {
  const counts = legacyOrder()
  const journal = isUpgraded(paths) ? [] : journalFiles(paths).map((file) => file.path)
  for (const path of [...historyFiles(paths), ...journal]) {
    let count = 0
    for (const { line } of legacyLines(path)) {
      if (++count % PAUSE_EVERY === 0) yield undefined
      const found = isWanted(line) ? readLegacyLine(line) : undefined
      if (found === undefined || !counts(found)) continue
      // What was only counted is not in the log today.
      if (found.entry.ops.some(inLog)) yield found.entry
    }
  }
}

interface LegacyEntry {
  entry: Entry
  /** The entry that an ordered one follows; null for the first of all. */
  after: string | null | undefined
}

/** Tells of each entry, in the order of the lines, whether it counted: once, and the first that followed another. */
export function legacyOrder(): (found: LegacyEntry) => boolean {
  const seen = new Set<string>()
  const followed = new Set<unknown>()
  return ({ entry, after }) => {
    if (seen.has(entry.id) || (after !== undefined && followed.has(after))) return false
    seen.add(entry.id)
    if (after !== undefined) followed.add(after)
    return true
  }
}

/** An entry of format 1, or undefined for a line that is none. */
export function readLegacyLine(line: Buffer): LegacyEntry | undefined {
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
