import { join } from "node:path"
import { isSame } from "../graph/change.ts"
import type { GraphState } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { adoptNewest } from "./adopt.ts"
import type { Archive } from "./archive/archive.ts"
import { archiveName } from "./archive/archive-name.ts"
import type { ArchiveFile } from "./archive/grow-archive.ts"
import { lostFromArchive, type RebuiltArchive } from "./archive-loss.ts"
import { forgetFolded, placeChanges } from "./changes.ts"
import { setAside } from "./files/broken-file.ts"
import { listFolder, syncFileAside, syncFolderAside } from "./files/folder.ts"
import { rmSync, statSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { sixDigits } from "./files/number.ts"
import { followLog } from "./follow-log.ts"
import { removeIndex } from "./index-files.ts"
import type { Append } from "./log/appender.ts"
import type { SegmentSum } from "./log/line.ts"
import { sumSegment } from "./log/segment-sum.ts"
import { sealSegment } from "./seal.ts"
import { commitManifest, type Manifest } from "./snapshot/manifest.ts"
import { isUnwritten, type Part, signatureOf } from "./snapshot/parts.ts"
import { removeReplaced } from "./snapshot/remove-replaced.ts"
import { type WrittenPart, writeParts } from "./snapshot/write-parts.ts"
import type { FoldReport } from "./store.ts"
import type { View } from "./view.ts"

export interface FoldInput {
  view: View
  paths: HivePaths
  archive: Archive
  now: number
  /** Tells this attempt's files from those of any other. */
  token: string
  /** Which mems may leave the hot set. */
  leaving: (state: GraphState, now: number) => Mem[]
  append: Append
  /** Puts into the log that these mems are in the archive now. */
  archiveMems: (mems: readonly Mem[]) => Promise<void>
  /** Files in place of those of a damaged archive. */
  rebuilt: RebuiltArchive | undefined
}

/**
 * Writes what changed since the last fold into new parts, and makes that count in one step: a manifest that follows the
 * last one. Runs under the lock, and appends go on beside it. A crash before that step leaves files that nobody reads;
 * of a fold that lost the lock and wakes up late nothing counts. Segments stay where they are: together they are the log.
 */
export async function fold(input: FoldInput): Promise<FoldReport> {
  const { view } = input
  view.isFolding = true
  try {
    return await foldParts(input)
  } finally {
    view.isFolding = false
  }
}

async function foldParts(input: FoldInput): Promise<FoldReport> {
  const { view, paths, archive } = input
  await runInSlices(followLog(view, paths))
  const number = await runInSlices(adoptNewest(view, paths, archive))
  if (number === undefined) return { folded: false, note: "the log does not reach as far as the last fold" }
  const trouble = await troubledPart(input)
  if (trouble !== undefined) return { folded: false, note: trouble }
  const leaving = input.leaving(view.state, input.now).slice(0, MAX_LEAVING)
  const archived = isSame(archive.files(), input.rebuilt?.before) ? input.rebuilt?.files : undefined
  const isNothingNew = view.changed.size === 0 && leaving.length === 0 && archived === undefined
  if (isNothingNew && ![...view.parts.all()].some(isUnwritten)) return { folded: false, note: NOTHING_NEW }

  // Most of it is done before the seal, where it may pause.
  await runInSlices(placeChanges(view))
  const captured = await sealSegment(view, paths, input.append)
  const before = archived ?? archive.files()
  const dropped = Array.from(view.gone).flatMap(([id, at]) => (at <= captured.through ? id : []))
  const gone = await runInSlices(archive.storedAmong(before, dropped))
  const entering = [...leaving, ...(await runInSlices(lostFromArchive(view, archive, before)))]
  let files = before
  let written: Map<Part, WrittenPart>
  try {
    if (entering.length + gone.length > 0)
      files = await writeArchive(input, captured.through, before, entering, gone)
    written = await writeParts(paths.parts, captured.dirty, captured.through, input.token)
  } catch (error) {
    removeOwn(input, captured.through)
    throw error
  }
  const manifest: Manifest = {
    number,
    through: captured.through,
    seq: captured.seq,
    clock: captured.clock,
    parts: namedParts(view, written),
    archive: [...files],
    void: [...view.base.void, ...captured.late],
    at: input.now,
    sealed: await runInSlices(sumSealed(view, paths, captured.through)),
  }
  const outcome = await commitManifest(paths.graph, manifest)
  if (outcome !== "made") {
    // Of one that was overtaken after it had counted, others may have taken the parts over.
    if (outcome === "taken") removeOwn(input, captured.through)
    return { folded: false, note: "another process has folded" }
  }
  adoptOwn(view, manifest, written, paths)
  archive.use(files)
  // The index of recall may have been built while these mems were out of reach. It is derived, and is built again.
  if (archived !== undefined || entering.length > leaving.length) await removeIndex(paths)
  // First where they go, then that they went: a crash between leaves them in both places, never in none.
  if (leaving.length > 0) await input.archiveMems(leaving)
  await removeReplaced(paths, input.now)
  const note = `folded up to segment ${manifest.through}`
  return { folded: true, note, isUnfinished: leaving.length === MAX_LEAVING }
}

async function writeArchive(
  { archive, paths, token }: FoldInput,
  through: number,
  before: readonly ArchiveFile[],
  entering: readonly Mem[],
  gone: readonly string[],
): Promise<ArchiveFile[]> {
  const name = archiveName(through, token)
  const files = await runInSlices(archive.add(entering, gone, name, before))
  await syncFileAside(join(paths.archive, name))
  // The names have to be durable before a manifest that names the file is.
  for (const folder of [paths.archive, paths.graph]) await syncFolderAside(folder)
  return files
}

/** Removes the files of a fold that does not count. Those of a process that was killed stay. */
function removeOwn({ paths, token }: FoldInput, through: number): void {
  for (const folder of [paths.parts, paths.archive])
    for (const file of listFolder(folder))
      if (file.includes(`.${sixDigits(through)}-${token}.`)) rmSync(join(folder, file), { force: true })
}

/** Those that were sealed since the base; of very many, the last ones: seals tell of those before. */
function* sumSealed(view: View, { log }: HivePaths, through: number): Pausing<SegmentSum[]> {
  const sums: SegmentSum[] = []
  for (let segment = Math.max(view.base.through, through - MAX_SUMMED) + 1; segment <= through; segment++) {
    const sum = yield* sumSegment(log, segment)
    if (sum !== undefined) sums.push(sum)
  }
  return sums
}

function namedParts(view: View, written: ReadonlyMap<Part, WrittenPart>): Manifest["parts"] {
  return [...view.parts.all()].flatMap((part) => {
    const { file, sum } = written.get(part) ?? part
    return file === "" ? [] : [{ file, kind: part.kind, sum }]
  })
}

function adoptOwn(
  view: View,
  manifest: Manifest,
  written: ReadonlyMap<Part, WrittenPart>,
  paths: HivePaths,
): void {
  for (const [part, { file, sum }] of written) {
    view.dirty.delete(part)
    part.added.clear()
    part.removed.clear()
    if (file === "") {
      view.parts.drop(part)
      part.file = ""
    } else
      Object.assign(part, { file, sum, state: "as written", signature: signatureOf(join(paths.parts, file)) })
  }
  forgetFolded(view, manifest)
}

/** Why nothing may be folded now: a part cannot be read, or somebody is still editing one. */
async function troubledPart({ view, paths, now }: FoldInput): Promise<string | undefined> {
  for (const part of view.parts.all()) {
    const path = join(paths.parts, part.file)
    if (part.state === "unreadable") return `graph/parts/${part.file} cannot be read`
    if (part.state !== "broken") continue
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed === undefined) continue
    if (now - changed < EDITOR_MS)
      return `graph/parts/${part.file} is broken; waiting for its editor to finish`
    await setAside(path, now)
  }
  return undefined
}

/** The note of a fold that had nothing to write. */
export const NOTHING_NEW = "nothing new"
const MAX_LEAVING = 5000
const MAX_SUMMED = 8
// An editor may save in steps, and a person may need a moment to see what is wrong.
const EDITOR_MS = 10 * 60_000
