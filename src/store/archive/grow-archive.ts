import { join } from "node:path"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Pausing } from "../../shared/slices.ts"
import { mkdirSync, statSync } from "../files/hive-fs.ts"
import { archiveLine, withoutGone } from "./archive-line.ts"
import { linesFrom, mergeSorted, writeSorted } from "./sorted-file.ts"

/** One of the archive's files, as the manifest names it. */
export interface ArchiveFile {
  file: string
  /** How many lines it has. */
  mems: number
  /** Its length: one of another length was damaged. */
  bytes: number
}

/**
 * Writes mems that leave the hot set into a file of their own, and which ones are gone, taking in files of before that
 * are not much larger: so there are only ever a few files, and a mem is rewritten only a few times. Returns the files
 * of then; the new one is not synced yet.
 */
export function* growArchive(
  folder: string,
  /** Those of before, the newest last. */
  files: readonly ArchiveFile[],
  { mems, gone, name }: { mems: readonly Mem[]; gone: readonly string[]; name: string },
): Pausing<ArchiveFile[]> {
  mkdirSync(folder)
  const lines: string[] = []
  for (const mem of mems) {
    lines.push(archiveLine(mem))
    yield
  }
  for (const id of gone) lines.push(archiveLine({ id, gone: true }))
  const kept = countKept(folder, files, lines)
  const sources: Iterator<string>[] = files.slice(kept).map(({ file }) => linesFrom(join(folder, file), ""))
  for (let n = 0; n < lines.length; n += SORTED_AT_ONCE) {
    sources.push(
      lines
        .slice(n, n + SORTED_AT_ONCE)
        .sort()
        .values(),
    )
    yield
  }
  const merged = mergeSorted(sources)
  // Where no older file is left, nothing needs to be said of those that are gone.
  const { count, bytes } = yield* writeSorted(join(folder, name), kept === 0 ? withoutGone(merged) : merged)
  return [...files.slice(0, kept), { file: name, mems: count, bytes }]
}

/** How many of the files stay as they are: the oldest, up to the first that is much larger than all that come after it. */
function countKept(folder: string, files: readonly ArchiveFile[], lines: readonly string[]): number {
  let size = lines.reduce((sum, line) => sum + line.length, 0)
  let kept = files.length
  for (; kept > 0; kept--) {
    const { file, bytes } = files[kept - 1] as ArchiveFile
    const before = statSync(join(folder, file), { throwIfNoEntry: false })?.size
    // One that is gone or damaged may come back: it stays as it is.
    if (before === undefined || before !== bytes || before > MUCH_LARGER * size) break
    size += before
  }
  return kept
}

const MUCH_LARGER = 4
const SORTED_AT_ONCE = 5000
