import { join } from "node:path"
import { type GraphState, isSame, recordsOf } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { AnyRecord } from "../schemas/records.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { archiveName } from "./archive/archive-file.ts"
import { lostFromArchive, type RebuiltArchive, syncArchive } from "./archive-loss.ts"
import { existsSync, listFolder, rmSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { setAside } from "./files/text-file.ts"
import { followLog } from "./follow-log.ts"
import { removeIndex } from "./index-files.ts"
import { adoptNewest } from "./load.ts"
import type { Append } from "./log/appender.ts"
import { type SegmentSum, sealLine } from "./log/line.ts"
import { sumSegment } from "./log/segment-sum.ts"
import { sixDigits } from "./log/segments.ts"
import { commitManifest, type Manifest, removeReplaced } from "./snapshot/manifest.ts"
import { isUnwritten, type Part, signatureOf, type WrittenPart, writeParts } from "./snapshot/parts.ts"
import type { FoldReport } from "./store.ts"
import { forgetFolded, placeChanges, type View } from "./view.ts"

export interface FoldInput {
  view: View
  paths: HivePaths
  archive: Archive
  now: number
  /** In the names of this attempt's files. */
  token: string
  /** Which mems may leave the hot set. */
  leaving: (state: GraphState, now: number) => Mem[]
  append: Append
  /** Logs that these mems are in the archive now. */
  archiveMems: (mems: readonly Mem[]) => Promise<void>
  /** Replacement for a damaged archive. */
  rebuilt: RebuiltArchive | undefined
}

/**
 * Writes the changes since the last fold into new parts, and makes them count in one step: a manifest that follows the
 * last one. Runs under the lock, while appends go on. A crash before that step leaves unused files; a fold that
 * lost the lock and continues late does not count. Segments stay where they are: together they are the log.
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
  const { view, paths, archive, rebuilt } = input
  await runInSlices(followLog(view, paths))
  const number = await runInSlices(adoptNewest(view, paths, archive))
  if (number === undefined) return { folded: false, note: "the log does not reach as far as the last fold" }
  const obstacle = unfoldablePart(input)
  if (obstacle !== undefined) return { folded: false, note: obstacle }
  const leaving = input.leaving(view.state, input.now).slice(0, MAX_LEAVING)
  // Not those of `archive`: a reader may have set them to another manifest's.
  const named = view.base.archive
  const replacement = isSame(named, rebuilt?.before) ? rebuilt?.files : undefined
  const isNothingNew = view.changed.size === 0 && leaving.length === 0 && replacement === undefined
  if (isNothingNew && ![...view.parts.all()].some(isUnwritten)) return { folded: false, note: NOTHING_NEW }

  // Before the seal this can run in slices; after it only the rest is left.
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
    // If it was overtaken after it had counted, other processes may have taken its parts over.
    if (outcome === "taken") removeOwnFiles(input, through)
    return { folded: false, note: "another process has folded" }
  }
  takeOverWritten(view, manifest, written, paths)
  archive.use(files)
  // The index of recall may have been built while these mems were out of reach. It is derived, and is built again.
  if (replacement !== undefined || entering.length > leaving.length) await removeIndex(paths)
  // Last: after a crash before this, the mems are in both places, never in none.
  if (leaving.length > 0) await input.archiveMems(leaving)
  await removeReplaced(paths, input.now)
  return {
    folded: true,
    note: `folded up to segment ${through}`,
    isUnfinished: leaving.length === MAX_LEAVING,
  }
}

/** Removes the files of a fold that does not count. Those of a process that was killed stay. */
function removeOwnFiles({ paths, token }: FoldInput, through: number): void {
  for (const folder of [paths.parts, paths.archive])
    for (const file of listFolder(folder))
      if (file.includes(`.${sixDigits(through)}-${token}.`)) rmSync(join(folder, file), { force: true })
}

/** Of the segments that were sealed since the base; of very many, the last ones: seals repeat those before. */
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
    else Object.assign(part, { sum, state: "as written", signature: signatureOf(join(paths.parts, file)) })
  }
  forgetFolded(view, manifest)
}

/** Why nothing may be folded now: a part is unreadable. Sets damaged parts aside, so that a person can look at them. */
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

/** The graph at the end of a segment, as far as the parts do not have it yet. */
interface Captured {
  through: number
  seq: number
  clock: number
  overtaken: string[]
  dirty: ReadonlyMap<Part, readonly AnyRecord[]>
}

/** Ends the open segment, and captures the state at that very point while others go on writing behind it. */
async function sealSegment(view: View, paths: HivePaths, append: Append): Promise<Captured> {
  const { segment } = view.position
  let captured: Captured | undefined
  view.onSeal = (sealed) => {
    captured ??= capture(view, sealed)
  }
  try {
    // The system may write only a part of the line: a torn seal does not count.
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

/** Records are never changed in place: references to them are enough. */
function capture(view: View, sealed: number): Captured {
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

/** The note of a fold that had nothing to write. */
export const NOTHING_NEW = "nothing new"
const MAX_LEAVING = 5000
const MAX_SUMMED = 8
const MAX_ATTEMPTS = 3
