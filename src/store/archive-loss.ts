import { join } from "node:path"
import { isSame } from "../graph/state.ts"
import { type Mem, mem as memSchema } from "../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { type ArchiveFile, archiveName, memOf, parseLine } from "./archive/archive-file.ts"
import { idOf, linesFrom } from "./archive/sorted-file.ts"
import type { HivePaths } from "./files/layout.ts"
import { syncFileAsync, syncFolderAsync } from "./files/write-file.ts"
import { changesIn, replayLog } from "./replay.ts"
import { logPosition, type View } from "./view.ts"

/** Mems that were archived since the last fold and are in none of these files: the manifest that named theirs is lost. */
export function* lostFromArchive(
  { archivedMems }: View,
  archive: Archive,
  files: readonly ArchiveFile[],
): Pausing<Mem[]> {
  // An older file may have an older version of a mem that has been hot again since.
  const isLost = (mem: Mem) => !isSame(archive.storedIn(files, mem.id), memSchema.safeParse(mem).data)
  const step = Math.ceil(archivedMems.size / SAMPLES)
  let sampled = 0
  let count = 0
  let isAllThere = true
  // One fold moved all mems of a segment: if one of them is in a file, all are. A sample of each segment is enough.
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

/** New files of the archive, and the files that they replace, of which some are damaged. */
export interface RebuiltArchive {
  before: readonly ArchiveFile[]
  files: readonly ArchiveFile[]
}

/**
 * Writes all archived mems from the log into new files, beside those files that are sound. The log is read once for each
 * batch of mems that fits into memory. The files are in use once a manifest names them.
 */
export async function rebuildArchive(
  view: View,
  paths: HivePaths,
  archive: Archive,
  token: string,
  /** Gets the name of every file that is written: the caller removes those that no manifest names in the end. */
  made: string[],
): Promise<RebuiltArchive> {
  const rebuilt = await runInSlices(writeBatches(view, paths, archive, token, made))
  await syncArchive(paths, rebuilt.files)
  return rebuilt
}

/** A manifest may name the files only after their content and their names are durable. */
export async function syncArchive(
  paths: HivePaths,
  files: readonly Pick<ArchiveFile, "file">[],
): Promise<void> {
  for (const { file } of files) await syncFileAsync(join(paths.archive, file))
  for (const folder of [paths.archive, paths.graph]) await syncFolderAsync(folder)
}

function* writeBatches(
  view: View,
  paths: HivePaths,
  archive: Archive,
  token: string,
  made: string[],
): Pausing<RebuiltArchive> {
  const before = archive.files()
  yield* archive.check()
  let files = archive.soundFiles()
  const log = logPosition(view)
  const { archived, dropped } = yield* replayLog(paths, log, (kind) => kind === "mem")
  const gone = yield* archive.storedAmong(files, dropped)
  // A file of the log may be lost, too: keeps the mems of damaged files that the log does not know.
  const unlogged: Mem[] = []
  const isKnown = (id: string) => archived.has(id) || dropped.has(id) || view.state.mem.has(id)
  for (const { file } of before.filter((each) => !files.includes(each))) {
    // Skips a file that cannot be opened.
    for (const line of linesFrom(join(paths.archive, file), "", undefined, () => {})) {
      const mem = isKnown(idOf(line)) ? undefined : memOf(parseLine(line))
      if (mem !== undefined) unlogged.push(mem)
      yield
    }
  }
  const ids = [...archived]
  for (let n = 0; n === 0 || n < ids.length; n += BATCH) {
    const wanted = new Set(ids.slice(n, n + BATCH))
    const isNamed = (line: Buffer) => changesIn(line)?.changes.some(({ id }) => wanted.has(id)) ?? true
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
