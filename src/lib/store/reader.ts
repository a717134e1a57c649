import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Entry, Op } from "../../schemas/journal.ts"
import { type Kind, type SnapshotFile, snapshotFiles, snapshotNames } from "../../schemas/records.ts"
import { systemCode } from "../../shared/system-error.ts"
import { guardChains } from "../graph/chain.ts"
import { applyOp, emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import type { Archive } from "./archive.ts"
import { foldedEntries, replay } from "./history.ts"
import type { HivePaths } from "./layout.ts"
import type { Problem } from "./problem.ts"
import { listSegments, parseEntries, readTail, type Segment } from "./segments.ts"
import { NO_WATERMARK, parseSnapshot, type Snapshot, type Watermark } from "./snapshot.ts"

/** The graph as one process sees it, and how far into the files that view reaches. */
export interface View {
  state: GraphState
  problems: Problem[]
  /** Mended in memory only; the next ordered write puts them into the journal. */
  repairs: Op[]
  /** The last ordered entry. */
  head: string | null
  /** Grows with every change: equal versions mean equal state. */
  version: number
  snapshots: Map<SnapshotFile, Snapshot>
  /** The state of each snapshot's file when it was read. */
  signatures: Map<SnapshotFile, string>
  segments: { number: number; path: string; consumed: number; entries: { entry: Entry; end: number }[] }[]
  journal: { identity: string; position: number }
  /** A chain was broken when the graph was loaded: what comes later may mend it, and then all is looked at anew. */
  isGuarded: boolean
  /** How many entries are in no snapshot yet. */
  unfolded: number
  /** Entries of the journal that are in this view, so that none is applied twice. */
  applied: Set<string>
}

interface Cursor {
  view: View
  followed: Set<string | null>
}

/** Reads the files of a hive: everything once, then only what is new. Never locks. */
export function openReader(paths: HivePaths, archive: Archive) {
  const cache = new Map<SnapshotFile, { signature: string; snapshot: Snapshot }>()
  let current: (Cursor & { base: string }) | undefined
  let version = 0

  /** The newest state. Where only the journal has grown, only its new bytes are read. */
  function refresh(): View {
    if (current !== undefined && signatureOf(paths) === current.base) {
      const grown = followJournal(current, paths)
      if (grown !== "replaced") {
        if (grown === "more") current.view.version = ++version
        return current.view
      }
    }
    // A fold may run while we read; what was read before it and after it do not fit together, so read again.
    for (let attempt = 0; ; attempt++) {
      const base = signatureOf(paths)
      const cursor = load()
      followJournal(cursor, paths)
      if (signatureOf(paths) !== base && attempt < MAX_ATTEMPTS) continue
      guard(cursor.view)
      cursor.view.version = ++version
      current = { ...cursor, base }
      return cursor.view
    }
  }

  /** The state at the end of the sealed segments, without what came after: what a fold may write down. */
  function readSealed(): View {
    return load().view
  }

  function load(): Cursor {
    const view = emptyView()
    for (const file of snapshotNames) {
      const { signature, snapshot } = readSnapshot(file)
      view.snapshots.set(file, snapshot)
      view.signatures.set(file, signature)
    }
    const watermarks = new Map<SnapshotFile, Watermark>()
    for (const [file, snapshot] of view.snapshots) {
      watermarks.set(file, snapshot.watermark)
      view.problems.push(...snapshot.problems)
      for (const { kind, record } of snapshot.records) recordsOf(view.state, kind).set(record.id, record)
    }
    const folds = [...watermarks].filter(([file]) => file !== COUNTERS || watermarks.get(file)?.head !== null)
    const newest = folds
      .map(([, mark]) => mark)
      .reduce((a, b) => (b.segment > a.segment ? b : a), NO_WATERMARK)
    view.head = newest.head
    const cursor: Cursor = { view, followed: new Set() }
    for (const segment of listSegments(paths)) readSegment(cursor, segment, watermarks, newest)
    return cursor
  }

  function readSnapshot(file: SnapshotFile): { signature: string; snapshot: Snapshot } {
    const path = join(paths.root, file)
    const signature = fileSignature(path)
    const cached = cache.get(file)
    if (cached?.signature === signature) return cached
    const read = { signature, snapshot: snapshotAt(file, path) }
    // A missing file is not remembered: whether it should be there depends on the others. Nor are counters that had to
    // be taken from the log, which grows.
    if (signature !== NO_FILE && file !== COUNTERS) cache.set(file, read)
    return read
  }

  /** A file that is damaged, badly edited or gone: what can be read of it, over the last good state that the log knows. */
  function snapshotAt(file: SnapshotFile, path: string): Snapshot {
    const snapshot = parsedFile(file, path)
    // Other entries may be applied twice without harm, but a counter would count twice: without a watermark of its own
    // the file is worth nothing, and the log has the sums.
    if (file === COUNTERS && snapshot.watermark.segment === 0) return countersFromLog(snapshot)
    if (snapshot.problems.length === 0) return snapshot
    const lastGood = replay(foldedEntries(paths, snapshot.watermark))
    const byId = new Map<string, Snapshot["records"][number]>()
    for (const kind of Object.values(snapshotFiles[file])) {
      for (const record of recordsOf(lastGood, kind).values()) byId.set(record.id, { kind, record })
    }
    for (const each of snapshot.records) byId.set(each.record.id, each)
    return { ...snapshot, records: [...byId.values()] }
  }

  function countersFromLog(snapshot: Snapshot): Snapshot {
    const last = listSegments(paths).at(-1)?.number ?? 0
    if (last === 0 && !existsSync(paths.history)) return snapshot
    const watermark = { segment: last, bytes: Number.MAX_SAFE_INTEGER, head: null }
    const { metrics } = replay(foldedEntries(paths, watermark))
    const records = Array.from(metrics.values(), (record) => ({ kind: "metrics" as const, record }))
    return { ...snapshot, watermark, records, untouched: false }
  }

  function parsedFile(file: SnapshotFile, path: string): Snapshot {
    try {
      return parseSnapshot(file, readFileSync(path, "utf8"))
    } catch (error) {
      const isGone = systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR"
      // The first fold writes every snapshot. Until it is done, and its segment on the way to the history, the journal
      // still has everything. A fresh clone has no metrics: they are kept out of git.
      const isBeforeFirst = !existsSync(paths.history)
      if (isGone && (isBeforeFirst || file === COUNTERS)) return NOTHING_YET
      const reason = isGone
        ? "the file is gone; its last good state is in use"
        : `the file cannot be read (${systemCode(error)})`
      const problem: Problem = { level: "quarantined", file, kind: null, id: null, reason, raw: null }
      return { ...NOTHING_YET, untouched: false, problems: [problem] }
    }
  }

  function guard(view: View): void {
    const raws = view.problems.map((problem) => `${problem.id ?? ""} ${problem.raw ?? ""}`).join("\n")
    const { repairs, problems } = guardChains(view.state, archive.has, (id) => raws.includes(id))
    view.repairs = repairs
    view.isGuarded = problems.length > 0
    view.problems.push(...problems)
  }

  return { refresh, readSealed }
}

export function emptyView(): View {
  return {
    state: emptyState(),
    problems: [],
    repairs: [],
    head: null,
    version: 0,
    snapshots: new Map(),
    signatures: new Map(),
    segments: [],
    journal: { identity: NO_FILE, position: 0 },
    isGuarded: false,
    unfolded: 0,
    applied: new Set(),
  }
}

function readSegment(
  { view, followed }: Cursor,
  segment: Segment,
  watermarks: Map<SnapshotFile, Watermark>,
  newest: Watermark,
): void {
  const name = `graph/${segment.path.slice(segment.path.lastIndexOf("journal."))}`
  const bytes = readNoting(view, segment.path, 0, name)?.bytes
  if (bytes === undefined) return
  const parsed = parseEntries(bytes, name)
  view.problems.push(...parsed.problems)
  const accepted: { entry: Entry; end: number }[] = []
  for (const { entry, end } of parsed.entries) {
    // An ordered entry that came after its segment was folded had lost the lock: it was never acknowledged.
    const isLate = newest.segment === segment.number && end > newest.bytes
    if (entry.after !== undefined && (isLate || followed.has(entry.after))) {
      if (!view.applied.has(entry.id)) noteOvertaken(view, entry, name)
      continue
    }
    if (entry.after !== undefined) {
      forgetOvertaken(view, entry.id)
      followed.add(entry.after)
      if (newest.segment < segment.number) view.head = entry.id
    }
    if (view.applied.has(entry.id)) continue
    view.applied.add(entry.id)
    accepted.push({ entry, end })
    if (!isFolded(newest, segment.number, end)) view.unfolded++
    for (const op of entry.ops) {
      const mark = watermarks.get(fileOf(op)) ?? NO_WATERMARK
      if (!isFolded(mark, segment.number, end)) applyNoting(view, op, entry)
    }
  }
  view.segments.push({ ...segment, consumed: parsed.consumed, entries: accepted })
}

/** Applies what was appended to the journal since the last look. */
function followJournal({ view, followed }: Cursor, paths: HivePaths): "same" | "more" | "replaced" {
  const stat = statSync(paths.journal, { throwIfNoEntry: false })
  const hasTrouble = view.problems.some((problem) => problem.file === "graph/journal.jsonl")
  // A broken line may be mended in place; without one, only growth is of interest.
  const identity =
    stat === undefined ? NO_FILE : `${stat.ino}:${stat.birthtimeMs}${hasTrouble ? `:${stat.mtimeMs}` : ""}`
  const size = stat?.size ?? 0
  if (view.journal.identity !== NO_FILE && !identity.startsWith(view.journal.identity)) return "replaced"
  if (
    hasTrouble &&
    view.journal.identity !== NO_FILE &&
    view.journal.identity !== identity &&
    size === view.journal.position
  ) {
    return "replaced"
  }
  if (size < view.journal.position) return "replaced"
  if (size === view.journal.position) return "same"
  const tail = readNoting(view, paths.journal, view.journal.position, "graph/journal.jsonl")
  if (tail === undefined) return "same"

  const parsed = parseEntries(tail.bytes, "graph/journal.jsonl")
  view.journal = { identity, position: view.journal.position + parsed.consumed }
  view.problems.push(...parsed.problems)
  const changesChains = parsed.entries.some(({ entry }) => entry.ops.some(({ op }) => op === "drop"))
  const isOrdered = parsed.entries.some(({ entry }) => entry.after !== undefined)
  if (view.version > 0 && (changesChains || (view.isGuarded && isOrdered))) return "replaced"
  for (const { entry } of parsed.entries) {
    if (view.applied.has(entry.id)) continue
    if (entry.after !== undefined) {
      if (followed.has(entry.after)) {
        noteOvertaken(view, entry, "graph/journal.jsonl")
        continue
      }
      forgetOvertaken(view, entry.id)
      followed.add(entry.after)
      view.head = entry.id
    }
    view.applied.add(entry.id)
    view.unfolded++
    for (const op of entry.ops) applyNoting(view, op, entry)
  }
  return parsed.consumed > 0 ? "more" : "same"
}

/** The bytes of a file, or a problem that says why not: one bad file must not take the others along. */
function readNoting(view: View, path: string, from: number, name: string): ReturnType<typeof readTail> {
  try {
    return readTail(path, from)
  } catch (error) {
    const reason = `the file cannot be read (${systemCode(error)})`
    if (!view.problems.some((problem) => problem.file === name && problem.reason === reason)) {
      view.problems.push({ level: "quarantined", file: name, kind: null, id: null, reason, raw: null })
    }
    return undefined
  }
}

/** An ordered entry that another had overtaken. Its writer tries again under the same id; one that never counted anywhere is told of. */
function noteOvertaken(view: View, entry: Entry, file: string): void {
  const reason = "it follows an entry that another one follows already, as after a merge; it was not applied"
  view.problems.push({
    level: "quarantined",
    file,
    kind: null,
    id: entry.id,
    reason,
    raw: JSON.stringify(entry),
  })
}

function forgetOvertaken(view: View, id: string): void {
  const at = view.problems.findIndex(
    (problem) => problem.id === id && problem.reason.startsWith("it follows an entry"),
  )
  if (at >= 0) view.problems.splice(at, 1)
}

function applyNoting(view: View, op: Op, entry: Entry): void {
  const reason = applyOp(view.state, op)
  if (reason === undefined) return
  const raw = JSON.stringify(entry)
  view.problems.push({
    level: "quarantined",
    file: "graph/journal.jsonl",
    kind: kindOf(op),
    id: entry.id,
    reason,
    raw,
  })
}

/** Changes whenever anything but the open journal changes. */
function signatureOf(paths: HivePaths): string {
  const files = snapshotNames.map((file) => fileSignature(join(paths.root, file)))
  const segments = listSegments(paths).map(({ path }) => `${path}:${fileSignature(path)}`)
  return [...files, ...segments].join("|")
}

export function fileSignature(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? NO_FILE : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`
}

/** True if an entry that ends there is in a snapshot with this watermark. */
export function isFolded(mark: Watermark, segment: number, end: number): boolean {
  return mark.segment > segment || (mark.segment === segment && end <= mark.bytes)
}

export function fileOf(op: Op): SnapshotFile {
  return fileOfKind.get(kindOf(op)) as SnapshotFile
}

function kindOf(op: Op): Kind {
  return op.op === "count" ? "metrics" : op.kind
}

const fileOfKind = new Map<Kind, SnapshotFile>()
for (const file of snapshotNames)
  for (const kind of Object.values(snapshotFiles[file])) fileOfKind.set(kind, file)

const NOTHING_YET: Snapshot = {
  watermark: NO_WATERMARK,
  untouched: true,
  records: [],
  problems: [],
  length: 0,
}
const NO_FILE = "-"
const COUNTERS: SnapshotFile = "state/brain.json"
const MAX_ATTEMPTS = 20
