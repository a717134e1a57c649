import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
} from "node:fs"
import { mkdir, open, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type GraphState, recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/journal.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { dropOp } from "../schemas/op.ts"
import { type SnapshotFile, snapshotNames } from "../schemas/records.ts"
import type { Source } from "../shared/ids.ts"
import { explainSystemError, systemCode } from "../shared/system-error.ts"
import type { Archive } from "./archive.ts"
import { writeAtomic } from "./atomic-write.ts"
import { setAside } from "./broken-file.ts"
import { makeEntry } from "./entries.ts"
import { handEdits } from "./hand-edit.ts"
import { appendHistory, foldedEntries, replay } from "./history.ts"
import type { HivePaths } from "./layout.ts"
import { saveOrphans } from "./orphans.ts"
import { fileSignature, type openReader } from "./reader.ts"
import { listSegments, segmentPath } from "./segments.ts"
import { isFolded, NO_WATERMARK, renderSnapshot, type Watermark } from "./snapshot.ts"
import type { FoldReport } from "./store.ts"
import { fileOf, type View } from "./view.ts"

export interface FoldInput {
  paths: HivePaths
  reader: ReturnType<typeof openReader>
  archive: Archive
  source: Source
  /** Which mems may leave the hot set now. */
  leaving: (state: GraphState, now: number) => Mem[]
  append: (lines: string[]) => Promise<{ error?: unknown }>
  isHeld: () => boolean
}

/**
 * Writes the snapshots anew and moves the journal to the history. Runs under the lock, but appends go on without it.
 * Each step leaves files that load to the same state, so a crash between any two of them does no harm:
 * seal the journal → write snapshots, each with its watermark → move older segments to the history.
 * The lock can be lost on the way (a laptop sleeps); so before each step that replaces or removes something it is
 * asked whether it is still held, and a fold that lost it stops, which is no worse than a crash.
 */
export async function fold(input: FoldInput): Promise<FoldReport> {
  const { paths, reader, archive, source } = input
  const now = source.now()
  const before = reader.refresh()
  await saveOrphans(paths, [...before.problems, ...archive.problems()], now)
  const broken = recentlyBroken(before, paths, now)
  if (broken !== undefined)
    return { folded: false, note: `${broken} is broken; waiting for its editor to finish` }

  const number = nextNumber(before)
  const segment = segmentPath(paths, number)
  const hasJournal = (statSync(paths.journal, { throwIfNoEntry: false })?.size ?? 0) > 0
  const hasLeftovers = before.segments.some((each) => each.number > newestFold(before))
  const leaving = input.leaving(before.state, now)
  if (!hasJournal && !hasLeftovers && editedFiles(before).length === 0 && leaving.length === 0) {
    return { folded: false, note: "nothing new" }
  }
  seal(hasJournal, paths.journal, segment)

  const view = reader.readSealed()
  const gone = leaving.filter((mem) => view.state.mem.has(mem.id))
  // First where they go, then that they went: a crash between leaves them in both places, never in none.
  if (gone.length > 0) await archive.append(gone)
  await noteInSegment(segment, foldEntries(input, view, gone))

  const sealed = reader.readSealed()
  const last = sealed.segments.at(-1)
  const older = sealed.segments
    .filter((each) => each.number < number)
    .map((each) => [each.number, each.consumed] as const)
  const watermark: Watermark = {
    segment: number,
    bytes: last?.number === number ? last.consumed : 0,
    head: sealed.head,
    ...(older.length > 0 && { older }),
  }
  const isMine = () => input.isHeld() && listSegments(paths).every((each) => each.number <= number)
  for (const file of dirtyFiles(sealed, paths)) {
    const path = join(paths.root, file)
    await mkdir(dirname(path), { recursive: true })
    const isBroken = (sealed.snapshots.get(file)?.problems.length ?? 0) > 0
    if (isBroken && existsSync(path) && isMine()) await setAside(path, now)
    const isAsRead = () => isBroken || fileSignature(path) === sealed.signatures.get(file)
    const text = renderSnapshot(file, watermark, (kind) => recordsOf(sealed.state, kind).values())
    // An editor may have saved in this very moment: then its text stays, and the next fold takes it in.
    if (!writeAtomic(path, text, () => isMine() && isAsRead()))
      return { folded: false, note: `${file} was changed meanwhile` }
  }
  for (const old of sealed.segments.filter((each) => each.number < number)) {
    if (!isMine()) return { folded: false, note: "the lock was lost" }
    await retire(old, paths, input.append)
  }
  return { folded: true, note: `folded up to segment ${number}` }
}

/** Takes the journal out of use. By link, not by rename: a number that is taken is refused instead of overwritten. */
function seal(hasJournal: boolean, journal: string, segment: string): void {
  if (!hasJournal) {
    closeSync(openSync(segment, "wx"))
    return
  }
  try {
    linkSync(journal, segment)
    unlinkSync(journal)
  } catch (error) {
    // Some file systems have no links; there a rename has to do.
    if (systemCode(error) === "EEXIST" || existsSync(segment)) throw error
    renameSync(journal, segment)
  }
}

/** Entries that only a fold can write: what people edited, and which mems left. Without them the log would not add up. */
function foldEntries(input: FoldInput, view: View, gone: Mem[]): Entry[] {
  const { paths, source } = input
  const entries: Entry[] = []
  const changedByHand = editedFiles(view)
  if (changedByHand.length > 0) {
    const folded = foldedEntries(paths, { segment: Number.MAX_SAFE_INTEGER, bytes: 0 })
    const ops = handEdits(changedByHand, replay(folded), view.state)
    if (ops.length > 0)
      entries.push(makeEntry(source, { tool: "hand edit", session: null, agent: null }, ops))
  }
  if (gone.length > 0) {
    const ops = gone.map((mem) => dropOp("mem", mem))
    entries.push(makeEntry(source, { tool: "archive", session: null, agent: null }, ops))
  }
  return entries
}

async function noteInSegment(path: string, entries: Entry[]): Promise<void> {
  if (entries.length === 0) return
  const file = await open(path, "a")
  try {
    await file.writeFile(entries.map((entry) => `\n${JSON.stringify(entry)}`).join(""))
    await file.sync()
  } catch (error) {
    throw explainSystemError(error, "fold the journal", path)
  } finally {
    await file.close()
  }
}

/** Snapshots that the sealed segments or a person have changed, and those that are not there yet. */
function dirtyFiles(view: View, paths: HivePaths): SnapshotFile[] {
  const missing = snapshotNames.filter((file) => !existsSync(join(paths.root, file)))
  const dirty = new Set<SnapshotFile>([...editedFiles(view), ...missing])
  for (const segment of view.segments) {
    for (const { entry, end } of segment.entries) {
      for (const file of entry.ops.map(fileOf)) {
        const watermark = view.snapshots.get(file)?.watermark ?? NO_WATERMARK
        if (!isFolded(watermark, segment.number, end)) dirty.add(file)
      }
    }
  }
  return snapshotNames.filter((file) => dirty.has(file))
}

/** Moves a folded segment to the history. Whatever a slow writer still added to it goes back into the journal. */
async function retire(
  segment: View["segments"][number],
  paths: HivePaths,
  append: FoldInput["append"],
): Promise<void> {
  const fd = openSync(segment.path, "r")
  try {
    await appendHistory(
      paths,
      segment.entries.map(({ entry }) => entry),
    )
    await unlink(segment.path)
    const late = Buffer.alloc(fstatSync(fd).size - segment.consumed)
    readSync(fd, late, 0, late.length, segment.consumed)
    // An ordered entry this late had lost the lock and was never acknowledged; anything else must not be lost.
    const lines = late.toString("utf8").split("\n")
    const kept = lines.filter((line) => line.trim() !== "" && !/"after":/.test(line))
    const { error } = kept.length > 0 ? await append(kept) : {}
    if (error !== undefined) throw error
  } finally {
    closeSync(fd)
  }
}

/** A snapshot that somebody seems to be editing right now: folding would pull it from under the editor. */
function recentlyBroken(view: View, paths: HivePaths, now: number): SnapshotFile | undefined {
  return snapshotNames.find((file) => {
    if ((view.snapshots.get(file)?.problems.length ?? 0) === 0) return false
    const changed = statSync(join(paths.root, file), { throwIfNoEntry: false })?.mtimeMs
    return changed !== undefined && Math.abs(now - changed) < EDITING_MS
  })
}

function newestFold(view: View): number {
  return Math.max(0, ...[...view.snapshots.values()].map((snapshot) => snapshot.watermark.segment))
}

/** Snapshots that are not as a fold wrote them. */
function editedFiles(view: View): SnapshotFile[] {
  return snapshotNames.filter((file) => view.snapshots.get(file)?.untouched === false)
}

function nextNumber(view: View): number {
  return Math.max(newestFold(view), ...view.segments.map((segment) => segment.number)) + 1
}

const EDITING_MS = 10 * 60_000
