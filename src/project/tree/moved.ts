import { basename, extname } from "node:path/posix"
import type { Pausing } from "../../shared/slices.ts"
import { timesIn } from "./file-signature.ts"
import { scanFiles } from "./scan.ts"

/**
 * The deleted files that were moved: a newer file has the same name, or the same extension and time of content. `gone` has the
 * time of the last write of each; `isOther` excludes files that existed beside it.
 */
export function* findMoved(
  dir: string,
  gone: ReadonlyMap<string, number>,
  isOther: (path: string, writtenMs: number) => boolean,
): Pausing<Set<string>> {
  const moved = new Set<string>()
  if (gone.size === 0) return moved
  const byName = grouped(gone, basename)
  // Where very many are gone, a whole folder was moved, and names are enough.
  const byEnding = grouped(gone.size > MAX_BY_TIME ? new Map() : gone, extname)
  const { files } = yield* scanFiles(dir)
  const alike: [string, number][][] = []
  for (const [path, signature] of files) {
    yield
    const { contentMs, stateMs } = timesIn(signature)
    const found = (byName.get(basename(path)) ?? []).filter(
      // A folder that is moved leaves the times of its files alone.
      ([, writtenMs]) => stateMs >= writtenMs - WRITE_MS && !isOther(path, writtenMs),
    )
    for (const [old] of found) moved.add(old)
    if (found.length > 0) continue
    const timed = (byEnding.get(extname(path)) ?? []).filter(
      ([, writtenMs]) =>
        contentMs >= writtenMs - WRITE_MS && contentMs <= writtenMs + CLOCK_MS && !isOther(path, writtenMs),
    )
    if (timed.length > 0) alike.push(timed)
  }
  // One file each, and none that was found by its name.
  for (const timed of alike) {
    const [old] = timed.find(([path]) => !moved.has(path)) ?? []
    if (old !== undefined) moved.add(old)
  }
  return moved
}

function grouped(
  gone: ReadonlyMap<string, number>,
  keyOf: (path: string) => string,
): Map<string, [string, number][]> {
  const groups = new Map<string, [string, number][]>()
  for (const each of gone) {
    const key = keyOf(each[0])
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return groups
}

/** How long before it was noted a file may have been written. */
const WRITE_MS = 10_000
const CLOCK_MS = 20
const MAX_BY_TIME = 100
