import { join } from "node:path"
import { isSame } from "../graph/state.ts"
import { type Mem, mem as memSchema } from "../schemas/knowledge.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { archiveName, memOf, parseLine } from "./archive/archive-file.ts"
import { idOf, linesFrom } from "./archive/sorted-file.ts"
import type { HivePaths } from "./files/layout.ts"
import { syncFileAsync, syncFolderAsync } from "./files/write-file.ts"
import { changesIn, replayLog } from "./replay.ts"
import type { ArchiveFile } from "./snapshot/manifest.ts"
import { logPosition, type View } from "./view.ts"

/** Returns mems that were archived since the last fold, but are missing from these archive files. */
export function* lostFromArchive(
  { archivedMems }: View,
  archive: Archive,
  files: readonly ArchiveFile[],
): Pausing<Mem[]> {
  // Compares whole mems, because an older file may have an earlier version of a mem that was archived twice.
  const isLost = (mem: Mem) => !isSame(archive.storedIn(files, mem.id), memSchema.safeParse(mem).data)
  const step = Math.ceil(archivedMems.size / SAMPLES)
  let sampled = 0
  let count = 0
  let isAllThere = true
  // A fold writes all mems of a log segment into one archive file, so checking a few per segment is enough.
  for (const { mem, segment } of archivedMems.values()) {
    if (segment === sampled && ++count % step !== 0) continue
    sampled = segment
    yield
    isAllThere &&= !isLost(mem)
    if (!isAllThere) break
  }
  const lost: Mem[] = []
  for (const { mem } of isAllThere ? [] : archivedMems.values()) {
    if (isLost(mem)) lost.push(mem)
    yield
  }
  return lost
}

/** The archive's files before and after a rebuild. Some of those before are damaged. */
export type RebuiltArchive = { before: readonly ArchiveFile[]; files: readonly ArchiveFile[] }

/** Fsyncs archive files and their folders. This must be done before a manifest names the files. */
export async function syncArchive(paths: HivePaths, files: readonly { file: string }[]): Promise<void> {
  for (const { file } of files) await syncFileAsync(join(paths.archive, file))
  for (const folder of [paths.archive, paths.graph]) await syncFolderAsync(folder)
}

/** Rebuilds a damaged archive: writes mems of the log into new files. Reads the log once per batch, to limit memory. */
export function* rebuildArchive(
  view: View,
  paths: HivePaths,
  archive: Archive,
  token: string,
  /** Receives the names of the new files. If no manifest names a file in the end, the caller deletes it. */
  made: string[],
): Pausing<RebuiltArchive> {
  const before = archive.files()
  yield* archive.check()
  let files = archive.soundFiles()
  const log = logPosition(view)
  const { archived, dropped } = yield* replayLog(paths, log, (kind) => kind === "mem")
  const gone = yield* archive.storedAmong(files, dropped)
  // The log may have lost entries too, so readable mems of damaged files are kept if the log lacks them.
  const unlogged: Mem[] = []
  const isKnown = (id: string) => archived.has(id) || dropped.has(id) || view.state.mem.has(id)
  for (const { file } of before.filter((each) => !files.includes(each))) {
    for (const line of linesFrom(join(paths.archive, file), "", undefined, () => {})) {
      const mem = isKnown(idOf(line)) ? undefined : memOf(parseLine(line))
      if (mem !== undefined) unlogged.push(mem)
      yield
    }
  }
  const ids = [...archived]
  for (let n = 0; n === 0 || n < ids.length; n += BATCH) {
    const wanted = new Set(ids.slice(n, n + BATCH))
    const isNamed = (line: Buffer) => changesIn(line)?.some(({ id }) => wanted.has(id)) ?? true
    const isWanted = (kind: string, id: string) => kind === "mem" && wanted.has(id)
    const { state } = yield* replayLog(paths, log, isWanted, isNamed, true)
    const mems = [...state.mem.values(), ...(n === 0 ? unlogged : [])]
    const name = archiveName(view.position.segment, `${token}r${n / BATCH}`)
    made.push(name)
    files = yield* archive.add(mems, n === 0 ? gone : [], name, files)
  }
  return { before, files }
}

const SAMPLES = 64
const BATCH = 20_000
