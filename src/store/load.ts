import { join, relative } from "node:path"
import { type Problem, quarantined } from "../graph/problem.ts"
import { makeGroups, recordsOf } from "../graph/state.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import { systemCode } from "../shared/system-error.ts"
import type { Archive } from "./archive/archive.ts"
import { lostFromArchive } from "./archive-loss.ts"
import { takeOverFound } from "./edits.ts"
import { checksum } from "./files/checksum.ts"
import { listTree, readFileSync, refuseLink, statSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import { guard } from "./guard.ts"
import { segmentNumbers } from "./log/segments.ts"
import { replayLog } from "./replay.ts"
import { newestManifest } from "./snapshot/manifest.ts"
import { missingPart, readEditedPart, readPart, unreadablePart } from "./snapshot/part.ts"
import { namedPart, type Part, signatureOf } from "./snapshot/parts.ts"
import { emptyView, logName, note, type View } from "./view.ts"

/** Loads the graph: the parts that the newest manifest names, then the log from there on. Never throws, never locks. */
export function* loadView(paths: HivePaths, archive: Archive): Pausing<View> {
  for (const folder of [paths.graph, paths.log, paths.parts]) refuseFile(folder)
  const { manifest, unusable } = newestManifest(paths.graph)
  const view = emptyView(manifest)
  noteLinks(view, paths)
  archive.use(manifest.archive)
  for (const { file, reason, isUnreadable } of unusable)
    note(view, quarantined(isUnreadable ? "unreadable" : "broken_file", `graph/${file}`, reason))
  const incomplete = new Set<Kind>()
  for (const named of manifest.parts) {
    const part = loadPart(view, paths, named.file, named.kind as Kind, named.sum)
    if (part.state === "broken" || part.state === "unreadable") incomplete.add(part.kind)
    yield
  }
  // What a part has lost, or does not show now, is still in the log.
  if (incomplete.size > 0) yield* restoreFromLog(view, paths, incomplete)
  try {
    yield* followLog(view, paths)
  } catch {
    // A segment cannot be read: what the parts hold is shown, and the next look at the log tells.
    view.isUnguarded = true
    return view
  }
  const lost = yield* lostFromArchive(view, archive, manifest.archive)
  if (lost.length + view.unheld > 0) archive.hold(lost, lost.length + view.unheld)
  for (const part of view.parts.all()) takeOverFound(view, part)
  noteStraySegments(view, paths)
  yield* guard(view, archive)
  yield* makeGroups(view.state)
  return view
}

/** Files that the log does not reach: somebody has put them there. The next one may just have been begun. */
function noteStraySegments(view: View, paths: HivePaths): void {
  for (const number of segmentNumbers(paths.log)) {
    if (number <= view.position.segment + 1) continue
    const reason = "the log does not reach to this file; what is in it does not count"
    note(view, quarantined("stray_segment", logName(number), reason))
  }
}

function noteLinks(view: View, paths: HivePaths): void {
  for (const { path, isLink } of listTree(paths.root)) {
    const reason = "it is a link; HiveMind neither reads it nor writes to it"
    if (isLink) note(view, quarantined("link", relative(paths.root, path), reason))
  }
}

/** A file where a folder belongs must not pass for an empty graph. */
function refuseFile(folder: string): void {
  refuseLink(folder, "read")
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) throw new Error(`ENOTDIR: not a directory, ${folder}`)
}

/** Reads a part into the view, whatever was done to its file. */
function loadPart(view: View, paths: HivePaths, file: string, kind: Kind, sum: string): Part {
  const path = join(paths.parts, file)
  const part = { ...namedPart(kind, file, sum), signature: signatureOf(path) }
  const records = recordsIn(view, part, path)
  const target = recordsOf(view.state, kind)
  for (const record of records) {
    if (target.has(record.id)) note(view, inTwoParts(part, record))
    target.set(record.id, record)
    part.ids.add(record.id)
  }
  view.parts.add(part)
  return part
}

function inTwoParts({ file, kind }: Part, record: AnyRecord): Problem {
  const raw = JSON.stringify(record)
  return quarantined(
    "duplicate_record",
    `graph/parts/${file}`,
    "another part has a record with the same id",
    {
      kind,
      id: record.id,
      raw,
    },
  )
}

function recordsIn(view: View, part: Part, path: string): readonly AnyRecord[] {
  const name = `graph/parts/${part.file}`
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const isGone = systemCode(error) === "ENOENT"
    part.state = isGone ? "broken" : "unreadable"
    note(view, isGone ? missingPart(name) : unreadablePart(name, error))
    return []
  }
  if (checksum(bytes) === part.sum) return readPart(part.kind, bytes)
  const content = readEditedPart(name, part.kind, bytes)
  part.state = content.isBroken ? "broken" : "edited"
  for (const problem of content.problems) note(view, problem)
  part.found = content.records
  return content.records
}

/** Puts back what the log knows and the view lacks, of kinds that have lost something. */
function* restoreFromLog(view: View, paths: HivePaths, incomplete: ReadonlySet<Kind>): Pausing<void> {
  const isLost = (kind: Kind, id: string) => incomplete.has(kind) && !recordsOf(view.state, kind).has(id)
  const { state: logged } = yield* replayLog(paths, view.base, isLost)
  for (const kind of incomplete) {
    const target = recordsOf(view.state, kind)
    for (const [id, record] of recordsOf(logged, kind)) {
      if (target.has(id)) continue
      target.set(id, record)
      view.unplaced.push({ kind, id })
    }
    yield
  }
}
