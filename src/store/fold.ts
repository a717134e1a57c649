import { join } from "node:path"
import { type GraphState, isSame, recordsOf } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { fileVersion } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { archiveName } from "./archive/archive-file.ts"
import { existsSync, listFolder, rmSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { setAside } from "./files/text-file.ts"
import { removeIndex } from "./index-files.ts"
import { adoptNewest } from "./live-view.ts"
import type { Append } from "./log/appender.ts"
import { type SegmentSum, sealLine } from "./log/line.ts"
import { sumSegment } from "./log/segment-sum.ts"
import { sixDigits } from "./log/segments.ts"
import { lostFromArchive, type RebuiltArchive, syncArchive } from "./rebuild-archive.ts"
import { commitManifest, type Manifest, removeReplaced } from "./snapshot/manifest.ts"
import { isUnwritten, type Part, type WrittenPart, writeParts } from "./snapshot/parts.ts"
import type { FoldReport } from "./store.ts"
import { followLog, forgetFolded, placeChanges, type View } from "./view.ts"

export interface FoldInput {
  view: View
  paths: HivePaths
  archive: Archive
  now: number
  token: string
  leaving: (state: GraphState, now: number) => Mem[]
  append: Append
  archiveMems: (mems: readonly Mem[]) => Promise<void>
  rebuilt: RebuiltArchive | undefined
}

/** Writes changed records into new part files, and a manifest that names them. Holds the lock; appends go on. */
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
  const { view, paths, archive, rebuilt } = input
  await runInSlices(followLog(view, paths))
  const number = await runInSlices(adoptNewest(view, paths, archive))
  if (number === undefined) return { folded: false, note: "the log is shorter than when it was last tidied" }
  const obstacle = unfoldablePart(input)
  if (obstacle !== undefined) return { folded: false, note: obstacle }
  const leaving = input.leaving(view.state, input.now).slice(0, MAX_LEAVING)
  // `archive.files()` may already be of a newer manifest, because a reader may have switched to it.
  const named = view.base.archive
  const replacement = isSame(named, rebuilt?.before) ? rebuilt?.files : undefined
  const isNothingNew = view.changed.size === 0 && leaving.length === 0 && replacement === undefined
  if (isNothingNew && ![...view.parts.all()].some(isUnwritten)) return { folded: false, note: NOTHING_NEW }

  // Most changes are assigned to parts in slices now, because after the seal there is no pause.
  await runInSlices(placeChanges(view))
  const captured = await sealSegment(view, paths, input.append)
  const { through } = captured
  const before = replacement ?? named
  const dropped = Array.from(view.droppedMems).flatMap(([id, at]) => (at <= through ? id : []))
  const gone = await runInSlices(archive.storedAmong(before, dropped))
  const entering = [...leaving, ...(await runInSlices(lostFromArchive(view, archive, before)))]
  let files = before
  let written: Map<Part, WrittenPart>
  try {
    if (entering.length + gone.length > 0) {
      const name = archiveName(through, input.token)
      files = await runInSlices(archive.add(entering, gone, name, before))
      await syncArchive(paths, [{ file: name }])
    }
    written = await writeParts(paths.parts, captured.dirty, through, input.token)
  } catch (error) {
    removeOwnFiles(input, through)
    throw error
  }
  const manifest: Manifest = {
    number,
    through,
    seq: captured.seq,
    clock: captured.clock,
    parts: namedParts(view, written),
    archive: [...files],
    void: [...view.base.void, ...captured.overtaken],
    at: input.now,
    sealed: await runInSlices(sumSealed(view, paths, through)),
  }
  const outcome = await commitManifest(paths.graph, manifest)
  if (outcome !== "made") {
    // The manifest of an overtaken fold was valid for a moment, so other processes may use its files: they stay.
    if (outcome === "taken") removeOwnFiles(input, through)
    return { folded: false, note: "another process has just tidied the files" }
  }
  takeOverWritten(view, manifest, written, paths)
  archive.use(files)
  // Deletes the recall index, because it lacks the mems that could not be read before. Recall builds a new one.
  if (replacement !== undefined || entering.length > leaving.length) await removeIndex(paths)
  // Mems leave the graph last: a crash before this leaves them in the graph and in the archive.
  if (leaving.length > 0) await input.archiveMems(leaving)
  await removeReplaced(paths, input.now)
  return {
    folded: true,
    note: `tidied the log up to segment ${through}`,
    isUnfinished: leaving.length === MAX_LEAVING,
  }
}

function removeOwnFiles({ paths, token }: FoldInput, through: number): void {
  for (const folder of [paths.parts, paths.archive])
    for (const file of listFolder(folder))
      if (file.includes(`.${sixDigits(through)}-${token}.`)) rmSync(join(folder, file), { force: true })
}

/** Computes the checksums of the segments sealed since the last fold, at most of the last eight. */
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

function takeOverWritten(
  view: View,
  manifest: Manifest,
  written: ReadonlyMap<Part, WrittenPart>,
  paths: HivePaths,
): void {
  for (const [part, { file, sum }] of written) {
    view.dirty.delete(part)
    part.added.clear()
    part.removed.clear()
    part.file = file
    if (file === "") view.parts.drop(part)
    else Object.assign(part, { sum, state: "as written", version: fileVersion(join(paths.parts, file)) })
  }
  forgetFolded(view, manifest)
}

/** Returns the reason if the graph cannot be folded now. Renames damaged parts, which the fold replaces, to keep them. */
function unfoldablePart({ view, paths, now }: FoldInput): string | undefined {
  const parts = [...view.parts.all()]
  const unreadable = parts.find(({ state }) => state === "unreadable")
  if (unreadable !== undefined) return `graph/parts/${unreadable.file} cannot be read`
  for (const { file, state } of parts) {
    const path = join(paths.parts, file)
    if (state === "damaged" && existsSync(path)) setAside(path, now)
  }
  return undefined
}

/** Writes the seal, and captures the graph at exactly that point of the log, while others write on after it. */
async function sealSegment(
  view: View,
  paths: HivePaths,
  append: Append,
): Promise<ReturnType<typeof capture>> {
  const { segment } = view.position
  let captured: ReturnType<typeof capture> | undefined
  view.onSeal = (sealed) => {
    captured ??= capture(view, sealed)
  }
  try {
    // The system may write only a part of the line, and a torn seal does not count.
    for (let attempt = 0; attempt < MAX_ATTEMPTS && captured === undefined; attempt++) {
      const appended = await append(segment, [sealLine(segment, view.base.sealed)])
      if (appended.state !== "synced") throw appended.error
      await runInSlices(followLog(view, paths))
    }
  } finally {
    view.onSeal = undefined
  }
  if (captured === undefined) throw new Error(`segment ${segment} was sealed, but cannot be read`)
  return captured
}

function capture(view: View, sealed: number) {
  runToEnd(placeChanges(view))
  const dirty = [...view.parts.all()].filter((part) => view.dirty.has(part) || isUnwritten(part))
  const recordsIn = ({ kind, ids }: Part) =>
    Array.from(ids, (id) => recordsOf(view.state, kind).get(id) ?? view.takenOut[kind].get(id))
  return {
    through: sealed,
    seq: view.seq,
    clock: view.clock,
    overtaken: [...view.overtaken.keys()],
    dirty: new Map(dirty.map((part) => [part, recordsIn(part).filter((record) => record !== undefined)])),
  }
}

export const NOTHING_NEW = "nothing new"
const MAX_LEAVING = 5000
const MAX_SUMMED = 8
const MAX_ATTEMPTS = 3
