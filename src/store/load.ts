import { join, relative } from "node:path"
import { guardChains } from "../graph/chain.ts"
import { quarantined } from "../graph/problem.ts"
import { makeGroups, recordsOf } from "../graph/state.ts"
import { type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { lostFromArchive } from "./archive-loss.ts"
import { applyNewerEdits } from "./edits.ts"
import { listTree, refuseLink, statSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import { segmentNumbers } from "./log/segments.ts"
import { lostRecords } from "./replay.ts"
import { type Manifest, manifestNumbers, newestManifest } from "./snapshot/manifest.ts"
import { readPartFile } from "./snapshot/part.ts"
import { asWritten, createParts, namedPart, type Part } from "./snapshot/parts.ts"
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
  const incomplete = new Set<Kind>()
  for (const named of manifest.parts) {
    const { state, kind } = loadPart(view, paths, named)
    if (state === "broken" || state === "unreadable") incomplete.add(kind)
    yield
  }
  // Records that a part has lost, or that cannot be read now, are still in the log.
  const lost = incomplete.size === 0 ? [] : yield* lostRecords(view, paths, view.base, [...incomplete])
  for (const { kind, record } of lost) {
    recordsOf(view.state, kind).set(record.id, record)
    view.unplaced.push({ kind, id: record.id })
  }
  try {
    yield* followLog(view, paths)
  } catch {
    // A segment cannot be read: shows the records of the parts, and the next reading of the log reports it.
    view.mustCheckLinks = true
    return view
  }
  const unarchived = yield* lostFromArchive(view, archive, manifest.archive)
  if (unarchived.length + view.unkeptMems > 0) archive.hold(unarchived, unarchived.length + view.unkeptMems)
  for (const part of view.parts.all()) applyNewerEdits(view, part)
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

function loadPart(view: View, paths: HivePaths, { file, kind: named, sum }: Manifest["parts"][number]): Part {
  const kind = named as Kind
  const part = namedPart(kind, file, sum)
  const { records, problems } = readPartFile(part, join(paths.parts, file))
  for (const problem of problems) note(view, problem)
  const isGone = part.signature === ""
  if (!isGone && (part.state === "edited" || part.state === "broken")) part.found = records
  const target = recordsOf(view.state, kind)
  for (const record of records) {
    const { id } = record
    const raw = JSON.stringify(record)
    const reason = "another part has a record with the same id"
    if (target.has(id))
      note(view, quarantined("duplicate_record", `graph/parts/${file}`, reason, { kind, id, raw }))
    target.set(id, record)
    part.ids.add(id)
  }
  view.parts.add(part)
  return part
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
    parts.add(part === undefined ? readIds(paths, named) : asWritten(part))
    yield
  }
  // While this was paused, another caller may have come first.
  if (manifest.number <= view.base.number) return undefined
  view.parts = parts
  archive.use(manifest.archive)
  forgetFolded(view, manifest)
  // Records that changed since the new parts were written get a place in them.
  view.dirty.clear()
  view.unplaced = [...view.changed.values()].flatMap((changed) =>
    kinds.flatMap((kind) => Array.from(changed[kind].keys(), (id) => ({ kind, id }))),
  )
  yield* placeUnnamed(view)
  return next
}

/** The records of a missing or damaged part are unknown: assigns each record without a part to one. */
function* placeUnnamed(view: View): Pausing<void> {
  const damaged = [...view.parts.all()].filter(
    ({ state, signature }) => state !== "as written" || signature === CHANGED,
  )
  for (const kind of new Set(damaged.map((part) => part.kind))) {
    for (const id of [...recordsOf(view.state, kind).keys()]) {
      if (view.parts.find(kind, id) === undefined) view.unplaced.push({ kind, id })
      yield
    }
  }
}

function readIds(paths: HivePaths, { file, kind, sum }: Manifest["parts"][number]): Part {
  const part = namedPart(kind as Kind, file, sum)
  for (const { id } of readPartFile(part, join(paths.parts, file)).records) part.ids.add(id)
  if (part.state === "as written") return part
  // The next look for hand edits reads it again, and reports its problems.
  const isRead = part.state !== "unreadable" && part.signature !== ""
  return { ...part, signature: CHANGED, state: isRead ? "as written" : "unreadable" }
}

/** Checks every link. Decides nothing while a part cannot be read: a missing record may only be out of reach. */
export function* checkLinks(view: View, archive: Archive): Pausing<void> {
  view.mustCheckLinks = false
  if ([...view.parts.all()].some(({ state }) => state === "unreadable")) return
  restoreTakenOut(view)
  view.problems = view.problems.filter(({ code }) => code !== "broken_link")
  const inQuarantine = new Set(view.problems.flatMap(({ id }) => id ?? []))
  view.missing.clear()
  const found = yield* guardChains(view.state, {
    // This view may be newer than the one that the archive goes by.
    isArchived: (id) => !view.droppedMems.has(id) && archive.has(id),
    // A mem that is not found may be in a damaged line of the archive.
    mayReturn: (id) => inQuarantine.has(id) || archive.problems().length > 0,
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

const CHANGED = "changed"
