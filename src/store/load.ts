import { join, relative } from "node:path"
import { guardChains } from "../graph/chain.ts"
import { quarantined } from "../graph/problem.ts"
import { makeGroups, recordsOf } from "../graph/state.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { lostFromArchive } from "./archive-loss.ts"
import { listTree, refuseLink, statSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import { segmentNumbers } from "./log/segments.ts"
import { lostRecords } from "./replay.ts"
import { type Manifest, manifestNumbers, newestManifest } from "./snapshot/manifest.ts"
import { asWritten, createParts, namedPart, type Part, readPartFile } from "./snapshot/parts.ts"
import { emptyView, forgetFolded, logName, note, restoreTakenOut, type View } from "./view.ts"

/** Loads the graph: the parts that the newest manifest names, then the log from there on. Never locks. */
export function* loadView(paths: HivePaths, archive: Archive): Pausing<View> {
  for (const folder of [paths.graph, paths.log, paths.parts]) requireFolder(folder)
  const { manifest, unusable } = newestManifest(paths.graph)
  const view = emptyView(manifest)
  noteLinks(view, paths)
  archive.use(manifest.archive)
  for (const { file, reason, isUnreadable } of unusable)
    note(view, quarantined(isUnreadable ? "unreadable" : "broken_file", `graph/${file}`, reason))
  const damaged: { part: Part; records: AnyRecord[] }[] = []
  for (const named of manifest.parts) {
    const { part, records } = readPart(view, paths, named)
    if (part.state !== "as written") damaged.push({ part, records })
    else for (const record of records) recordsOf(view.state, part.kind).set(record.id, record)
    view.parts.add(part)
    yield
  }
  yield* replaceDamaged(view, paths, damaged)
  try {
    yield* followLog(view, paths)
  } catch {
    // A segment cannot be read: shows the records of the parts, and the next reading of the log reports it.
    view.mustCheckLinks = true
    return view
  }
  const unarchived = yield* lostFromArchive(view, archive, manifest.archive)
  if (unarchived.length + view.unkeptMems > 0) archive.hold(unarchived, unarchived.length + view.unkeptMems)
  noteStraySegments(view, paths)
  yield* checkLinks(view, archive)
  yield* makeGroups(view.state)
  return view
}

/** Reports log files beyond the end of the log: they were put there by hand. The next segment may just have been begun. */
function noteStraySegments(view: View, paths: HivePaths): void {
  const reason = "the log does not reach to this file; its entries do not count"
  for (const number of segmentNumbers(paths.log))
    if (number > view.position.segment + 1) note(view, quarantined("stray_segment", logName(number), reason))
}

function noteLinks(view: View, paths: HivePaths): void {
  const reason = "it is a link; HiveMind neither reads it nor writes to it"
  for (const { path, isLink } of listTree(paths.root))
    if (isLink) note(view, quarantined("link", relative(paths.root, path), reason))
}

/** A file in the place of a folder must not pass for an empty graph. */
function requireFolder(folder: string): void {
  refuseLink(folder, "read")
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) throw new Error(`ENOTDIR: not a directory, ${folder}`)
}

/** The part that a manifest names, with its file's records. Its ids are known only if the file is as it was written. */
function readPart(view: View, paths: HivePaths, { file, kind, sum }: Manifest["parts"][number]) {
  const part = namedPart(kind as Kind, file, sum)
  const { records, problem } = readPartFile(part, join(paths.parts, file))
  if (problem !== undefined) note(view, problem)
  if (part.state === "as written") for (const { id } of records) part.ids.add(id)
  return { part, records }
}

/** Takes the records of damaged parts from the log; what such a part itself has counts only where the log is not whole. */
function* replaceDamaged(
  view: View,
  paths: HivePaths,
  damaged: readonly { part: Part; records: readonly AnyRecord[] }[],
): Pausing<void> {
  if (damaged.length === 0) return
  const found = yield* lostRecords(view, paths, view.base, [...new Set(damaged.map(({ part }) => part.kind))])
  const isLogWhole =
    segmentNumbers(paths.log).filter((each) => each <= view.base.through).length === view.base.through
  if (!isLogWhole)
    for (const { part, records } of damaged)
      found.push(...records.map((record) => ({ kind: part.kind, record })))
  for (const { kind, record } of found) {
    const records = recordsOf(view.state, kind)
    if (records.has(record.id)) continue
    records.set(record.id, record)
    view.unplaced.push({ kind, id: record.id })
  }
}

/**
 * Another process has folded: the graph is the same, but in other parts. Reads from the new ones which records they have.
 * Returns the number of the manifest that a fold may make now, or undefined if this view has not read the log as far as
 * the newest manifest.
 */
export function* adoptNewest(view: View, paths: HivePaths, archive: Archive): Pausing<number | undefined> {
  const newest = manifestNumbers(paths.graph).at(-1)
  if (newest === view.base.number) return newest + 1
  const { manifest, next } = newestManifest(paths.graph)
  // If the manifest of this view, or a newer one, is lost, this view still knows everything in it.
  if (manifest.number <= view.base.number) return Math.max(next, view.base.number + 1)
  if (manifest.through >= view.position.segment) return undefined
  const known = new Map(Array.from(view.parts.all(), (part) => [part.file, part]))
  const parts = createParts()
  for (const named of manifest.parts) {
    const part = known.get(named.file)
    parts.add(part === undefined ? readPart(view, paths, named).part : asWritten(part))
    yield
  }
  // While this was paused, another caller may have come first.
  if (manifest.number <= view.base.number) return undefined
  view.parts = parts
  archive.use(manifest.archive)
  forgetFolded(view, manifest)
  // Records that changed since the new parts were written get a place in them.
  view.dirty.clear()
  view.unplaced = [...view.changed.values()].flatMap((changed) => [...changed.values()])
  yield* placeUnnamed(view)
  return next
}

/** The records of a missing or damaged part are unknown: assigns each record without a part to one. */
function* placeUnnamed(view: View): Pausing<void> {
  const damaged = [...view.parts.all()].filter(({ state }) => state !== "as written")
  for (const kind of new Set(damaged.map((part) => part.kind))) {
    for (const id of [...recordsOf(view.state, kind).keys()]) {
      if (view.parts.find(kind, id) === undefined) view.unplaced.push({ kind, id })
      yield
    }
  }
}

/** Checks every link. Decides nothing while a part cannot be read: a missing record may only be out of reach. */
export function* checkLinks(view: View, archive: Archive): Pausing<void> {
  view.mustCheckLinks = false
  if ([...view.parts.all()].some(({ state }) => state === "unreadable")) return
  restoreTakenOut(view)
  view.problems = view.problems.filter(({ code }) => code !== "broken_link")
  view.missing.clear()
  const found = yield* guardChains(view.state, {
    // This view may be newer than the one that the archive goes by.
    isArchived: (id) => !view.droppedMems.has(id) && archive.has(id),
    // A mem that is not found may be in a damaged line of the archive.
    mayReturn: () => archive.problems().length > 0,
    onMissing: (id) => view.missing.add(id),
    onTakenOut: (kind, record) => view.takenOut[kind].set(record.id, record),
  })
  view.repairs.push(...found.repairs)
  for (const problem of found.problems) {
    const { kind, id } = problem
    const part = kind === null || id === null ? undefined : view.parts.find(kind, id)
    note(view, part === undefined ? problem : { ...problem, file: `graph/parts/${part.file}` })
  }
}
