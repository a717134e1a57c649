import { join } from "node:path"
import { isSame } from "../graph/change.ts"
import { type Mem, mem as memSchema } from "../schemas/knowledge.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { memOf, parseLine } from "./archive/archive-line.ts"
import { archiveName } from "./archive/archive-name.ts"
import type { ArchiveFile } from "./archive/grow-archive.ts"
import { idOf, linesFrom } from "./archive/sorted-file.ts"
import type { HivePaths } from "./files/layout.ts"
import { changesIn } from "./log/changes-in.ts"
import { replayLog } from "./replay.ts"
import type { View } from "./view.ts"

/** Mems that went to the archive since the last fold, and are in none of these files: the manifest of theirs is lost. */
export function* lostFromArchive(
  { archived }: View,
  archive: Archive,
  files: readonly ArchiveFile[],
): Pausing<Mem[]> {
  // An older file may have a mem that has been hot again since, as it was then.
  const isLost = (mem: Mem) => !isSame(archive.storedIn(files, mem.id), memSchema.safeParse(mem).data)
  const step = Math.ceil(archived.size / SAMPLES)
  let sampled = 0
  let count = 0
  let isAllThere = true
  // One fold moved all of a segment: where one of them is in a file, all are.
  for (const { mem, segment } of archived.values()) {
    if (segment === sampled && ++count % step !== 0) continue
    sampled = segment
    yield
    isAllThere &&= !isLost(mem)
    if (!isAllThere) break
  }
  const lost: Mem[] = []
  for (const { mem } of isAllThere ? [] : archived.values()) {
    if (isLost(mem)) lost.push(mem)
    yield
  }
  return lost
}

/** Files of the archive in place of those of before, of which some are damaged. */
export interface RebuiltArchive {
  before: readonly ArchiveFile[]
  files: readonly ArchiveFile[]
}

/**
 * Writes all archived mems into new files, from the log, over those files that are sound. Memory holds some of them at a
 * time; for each such batch the log is read once. The files count once a manifest names them.
 */
export function* rebuildArchive(
  view: View,
  paths: HivePaths,
  archive: Archive,
  token: string,
  /** Gets the name of every file that is written: the caller removes those that no manifest names in the end. */
  made: string[],
): Pausing<RebuiltArchive> {
  const before = archive.files()
  yield* archive.check()
  let files = archive.soundFiles()
  const log = { through: view.position.segment, void: [...view.base.void, ...view.late.keys()] }
  const { archived, dropped } = yield* replayLog(paths, log, (kind) => kind === "mem")
  const gone = yield* archive.storedAmong(files, dropped)
  // A file of the log may be lost, too.
  const unlogged: Mem[] = []
  const isKnown = (id: string) => archived.has(id) || dropped.has(id) || view.state.mem.has(id)
  for (const { file } of before.filter((each) => !files.includes(each))) {
    // A file that cannot be opened is left out: the log has its mems.
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
