import { rmSync, statSync } from "node:fs"
import { mkdir, open, readFile, unlink } from "node:fs/promises"
import { join } from "node:path"
import { type GraphState, recordsOf } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { AnyRecord } from "../schemas/records.ts"
import { runInSlices, runToEnd } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import { adoptNewest } from "./adopt.ts"
import type { Archive, ArchiveFile } from "./archive/archive.ts"
import { setAside } from "./files/broken-file.ts"
import { listFolder, syncFolder } from "./files/folder.ts"
import type { HivePaths } from "./files/layout.ts"
import type { Appended } from "./log/appender.ts"
import { sealLine } from "./log/line.ts"
import { commitManifest, type Manifest, readManifests, removeManifest } from "./snapshot/manifest.ts"
import { partSum, renderPart } from "./snapshot/part.ts"
import { foldOf, type Part, partName, signatureOf } from "./snapshot/parts.ts"
import type { FoldReport } from "./store.ts"
import { followLog, forgetFolded, placeChanges, type View } from "./view.ts"

export interface FoldInput {
  view: View
  paths: HivePaths
  archive: Archive
  now: number
  /** Tells this attempt's files from those of any other. */
  token: string
  /** Which mems may leave the hot set. */
  leaving: (state: GraphState, now: number) => Mem[]
  append: (segment: number, lines: readonly string[]) => Promise<Appended>
  /** Puts into the log that these mems are in the archive now. */
  archiveMems: (mems: readonly Mem[]) => Promise<void>
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
  if (view.changed.size === 0 && leaving.length === 0 && ![...view.parts.all()].some(isUnwritten))
    return { folded: false, note: "nothing new" }

  // Most of it is done before the seal, where it may pause.
  await runInSlices(placeChanges(view))
  const captured = await seal(input)
  const files = leaving.length === 0 ? archive.files() : await writeArchive(input, leaving)
  const written = await writeParts(input, captured)
  const manifest: Manifest = {
    number,
    through: captured.through,
    seq: captured.seq,
    clock: captured.clock,
    parts: namedParts(view, written),
    archive: [...files],
    void: [...view.base.void, ...captured.late],
  }
  const outcome = commitManifest(paths.graph, manifest)
  if (outcome !== "made") {
    // Of one that was overtaken after it had counted, others may have taken the parts over.
    if (outcome === "taken")
      for (const { file } of written.values()) rmSync(join(paths.parts, file), { force: true })
    return { folded: false, note: "another process has folded" }
  }
  adoptOwn(view, manifest, written, paths)
  archive.use(files)
  // First where they go, then that they went: a crash between leaves them in both places, never in none.
  if (leaving.length > 0) await input.archiveMems(leaving)
  await cleanUp(input)
  return { folded: true, note: `folded up to segment ${manifest.through}` }
}

/** The graph at the end of a segment, as far as the parts do not hold it yet. */
interface Captured {
  through: number
  seq: number
  clock: number
  late: string[]
  dirty: ReadonlyMap<Part, readonly AnyRecord[]>
}

/** Ends the open segment, and takes hold of the state at that very point while others go on writing behind it. */
async function seal({ view, paths, append }: FoldInput): Promise<Captured> {
  const { segment } = view.position
  let captured: Captured | undefined
  view.onSeal = (sealed) => {
    captured ??= capture(view, sealed)
  }
  try {
    const appended = await append(segment, [sealLine(segment)])
    if (appended.state !== "synced") throw appended.error
    await runInSlices(followLog(view, paths))
  } finally {
    view.onSeal = undefined
  }
  if (captured === undefined) throw new Error(`segment ${segment} was sealed, but cannot be read`)
  return captured
}

/** Records are never changed in place: holding on to them is enough. */
function capture(view: View, sealed: number): Captured {
  runToEnd(placeChanges(view))
  const dirty = [...view.parts.all()].filter((part) => view.dirty.has(part) || isUnwritten(part))
  const recordsIn = ({ kind, ids }: Part) =>
    Array.from(ids, (id) => recordsOf(view.state, kind).get(id) ?? view.takenOut[kind].get(id))
  return {
    through: sealed,
    seq: view.seq,
    clock: view.clock,
    late: [...view.late.keys()],
    dirty: new Map(dirty.map((part) => [part, recordsIn(part).filter((record) => record !== undefined)])),
  }
}

interface WrittenPart {
  /** "" for a part that has become empty. */
  file: string
  sum: string
}

async function writeParts(
  { paths, token }: FoldInput,
  { dirty, through }: Captured,
): Promise<Map<Part, WrittenPart>> {
  const written = new Map<Part, WrittenPart>()
  await mkdir(paths.parts, { recursive: true }).catch((error: unknown) => {
    throw explainSystemError(error, "write the parts of the graph", paths.parts)
  })
  for (const [part, records] of dirty) {
    if (records.length === 0) {
      written.set(part, { file: "", sum: "" })
      continue
    }
    const file = partName(part, through, token)
    const text = renderPart(part.kind, records)
    await writeSynced(join(paths.parts, file), text)
    written.set(part, { file, sum: partSum(text) })
  }
  syncFolder(paths.parts)
  return written
}

async function writeSynced(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, "wx")
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainSystemError(error, "write a part of the graph", path)
  }
}

async function writeArchive(
  { archive, view, token }: FoldInput,
  leaving: readonly Mem[],
): Promise<ArchiveFile[]> {
  const name = `mems.${String(view.position.segment).padStart(6, "0")}-${token}.jsonl`
  return runInSlices(archive.add(leaving, name))
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

function isUnwritten({ file, state }: Part): boolean {
  return file === "" || state !== "as written"
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

/** Removes what only older manifests name. A file that was changed after its time is kept, out of the way. */
async function cleanUp({ paths, now }: FoldInput): Promise<void> {
  const manifests = readManifests(paths.graph)
  const [newest, previous, ...older] = manifests
  if (newest === undefined) return
  const kept = new Set([newest, previous].flatMap((each) => (each === undefined ? [] : filesOf(each))))
  for (const manifest of older) {
    for (const { file, sum } of manifest.parts) if (!kept.has(file)) await removePart(paths, file, sum, now)
    removeManifest(paths.graph, manifest.number)
  }
  const named = new Set(manifests.flatMap(filesOf))
  for (const file of listFolder(paths.parts)) {
    const fold = foldOf(file)
    if (fold !== undefined && fold <= newest.through && !named.has(file))
      await removeQuietly(join(paths.parts, file))
  }
  for (const file of listFolder(paths.archive)) {
    const fold = archiveFold(file)
    if (fold !== undefined && fold <= newest.through && !named.has(file))
      await removeQuietly(join(paths.archive, file))
  }
}

function filesOf({ parts, archive }: Manifest): string[] {
  return [...parts, ...archive].map(({ file }) => file)
}

function archiveFold(name: string): number | undefined {
  const match = /^mems\.(\d{6,})-\w+\.jsonl$/.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

async function removePart(paths: HivePaths, file: string, sum: string, now: number): Promise<void> {
  const path = join(paths.parts, file)
  try {
    if (partSum(await readFile(path)) === sum) await unlink(path)
    else await setAside(path, now)
  } catch {
    // Gone already, or out of reach: it is not named any more, and does no harm.
  }
}

async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => {}) // Another process was faster.
}

const MAX_LEAVING = 5000
// An editor may save in steps, and a person may need a moment to see what is wrong.
const EDITOR_MS = 10 * 60_000
