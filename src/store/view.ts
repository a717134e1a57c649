import { statSync } from "node:fs"
import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp, emptyState, type GraphState } from "../graph/state.ts"
import type { EntryLine } from "../schemas/journal.ts"
import { type Op, type OpShape, readOp } from "../schemas/op.ts"
import { type Kind, type SnapshotFile, snapshotOf } from "../schemas/records.ts"
import { systemCode } from "../shared/system-error.ts"
import type { HivePaths } from "./layout.ts"
import { parseEntries, readTail, type Segment } from "./segments.ts"
import { isFolded, NO_WATERMARK, type Snapshot, type Watermark } from "./snapshot.ts"

/** The graph as one process sees it, and how far into the files that view reaches. */
export interface View {
  state: GraphState
  problems: Problem[]
  /** Mended in memory only; the next ordered write puts them into the journal. */
  repairs: Op[]
  /** The same for what an older format wrote; the upgrade puts them there. */
  upgrades: Op[]
  /** The last ordered entry. */
  head: string | null
  /** The files were read to their end once: from then on only the journal's new lines are. */
  isLoaded: boolean
  snapshots: Map<SnapshotFile, Snapshot>
  /** The state of each snapshot's file when it was read. */
  signatures: Map<SnapshotFile, string>
  segments: { number: number; path: string; consumed: number; entries: { entry: EntryLine; end: number }[] }[]
  journal: { identity: string; position: number }
  /** A chain was broken when the graph was loaded: what comes later may mend it, and then all is looked at anew. */
  isGuarded: boolean
  /** How many entries are in no snapshot yet. */
  unfolded: number
  /** Entries of the journal that are in this view, so that none is applied twice. */
  applied: Set<string>
}

export interface Cursor {
  view: View
  followed: Set<string | null>
}

export function emptyView(): View {
  return {
    state: emptyState(),
    problems: [],
    repairs: [],
    upgrades: [],
    head: null,
    isLoaded: false,
    snapshots: new Map(),
    signatures: new Map(),
    segments: [],
    journal: { identity: NO_FILE, position: 0 },
    isGuarded: false,
    unfolded: 0,
    applied: new Set(),
  }
}

export function readSegment(
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
  const accepted: { entry: EntryLine; end: number }[] = []
  for (const { entry, end } of parsed.entries) {
    // An ordered entry that came after its segment was folded had lost the lock: it was never acknowledged.
    const isLate = newest.segment >= segment.number && !isFolded(newest, segment.number, end)
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
export function followJournal({ view, followed }: Cursor, paths: HivePaths): "followed" | "replaced" {
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
  if (size === view.journal.position) return "followed"
  const tail = readNoting(view, paths.journal, view.journal.position, "graph/journal.jsonl")
  if (tail === undefined) return "followed"

  const parsed = parseEntries(tail.bytes, "graph/journal.jsonl")
  view.journal = { identity, position: view.journal.position + parsed.consumed }
  view.problems.push(...parsed.problems)
  const changesChains = parsed.entries.some(({ entry }) => entry.ops.some(({ op }) => op === "drop"))
  const isOrdered = parsed.entries.some(({ entry }) => entry.after !== undefined)
  if (view.isLoaded && (changesChains || (view.isGuarded && isOrdered))) return "replaced"
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
  return "followed"
}

/** The bytes of a file, or a problem that says why not: one bad file must not take the others along. */
function readNoting(view: View, path: string, from: number, name: string): ReturnType<typeof readTail> {
  try {
    return readTail(path, from)
  } catch (error) {
    if (!view.problems.some(({ file, code }) => file === name && code === "unreadable"))
      view.problems.push(quarantined("unreadable", name, `the file cannot be read (${systemCode(error)})`))
    return undefined
  }
}

/** An ordered entry whose place another has taken. Its writer tries again under the same id; one that never counted anywhere is reported. */
function noteOvertaken(view: View, entry: EntryLine, file: string): void {
  const reason = "it follows an entry that another one follows already, as after a merge; it was not applied"
  view.problems.push(quarantined("overtaken", file, reason, { id: entry.id, raw: JSON.stringify(entry) }))
}

function forgetOvertaken(view: View, id: string): void {
  const at = view.problems.findIndex((problem) => problem.id === id && problem.code === "overtaken")
  if (at >= 0) view.problems.splice(at, 1)
}

function applyNoting(view: View, shape: OpShape, entry: EntryLine): void {
  const op = readOp(shape)
  const isValid = typeof op !== "string"
  const reason = isValid ? applyOp(view.state, op) : op
  if (reason === undefined) return
  view.problems.push(
    quarantined(isValid ? "missing_record" : "invalid_record", "graph/journal.jsonl", reason, {
      kind: kindOf(shape),
      id: entry.id,
      raw: JSON.stringify(entry),
    }),
  )
}

export function fileOf(op: OpShape): SnapshotFile {
  return snapshotOf(kindOf(op))
}

function kindOf(op: OpShape): Kind {
  return "kind" in op ? op.kind : "metrics"
}

export const NO_FILE = "-"
