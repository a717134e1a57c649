import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp, emptyState, type GraphState, mapPerKind, recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/journal.ts"
import { type Op, setOp } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import { HAND_EDIT } from "./entries.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow, type Position } from "./log/follower.ts"
import { type Manifest, NO_MANIFEST } from "./snapshot/manifest.ts"
import { createParts, type Part, type Parts } from "./snapshot/parts.ts"

type RecordOp = Extract<Op, { kind: Kind }>

/** What records were before the first change of a segment; undefined for one that was not there. */
type Changed = Record<Kind, Map<string, AnyRecord | undefined>>

/** The graph as one process sees it, and how far into the log that view reaches. */
export interface View {
  state: GraphState
  problems: Problem[]
  /** How many more there are: a file can be broken in a hundred thousand places. */
  unlisted: number
  /** Mended in memory only; the next ordered write puts them into the log. */
  repairs: Op[]
  /** Changed by hand: in force, and not in the log yet. */
  edits: Op[]
  /** What files hold beside what a fold wrote there, as far as it was seen or the log tells; null for what was taken out. */
  filed: Record<Kind, Map<string, AnyRecord | null>>
  /** Records that are not in the graph because their links lead nowhere; they stay in their files. */
  takenOut: Record<Kind, Map<string, AnyRecord>>
  /** Something has changed that may break links, or mend them. */
  isUnguarded: boolean
  /** What the parts held when this view was made, or when this or another process last folded. */
  base: Manifest
  parts: Parts
  position: Position
  /** The number of the last ordered entry, and the highest clock. */
  seq: number
  clock: number
  /** Entries since the base with their segment, so that none is applied twice. */
  applied: Map<string, number>
  /** Ordered entries that came too late to count, by id. */
  late: Map<string, Problem>
  /** What changed since the base, by segment. */
  changed: Map<number, Changed>
  /** Changed records whose parts are not among the dirty ones yet, and the parts that a fold has to write. */
  unplaced: { kind: Kind; id: string }[]
  dirty: Set<Part>
  /** The look at the log that is under way: it may be paused, and there is only ever one. */
  following: Generator<void, void, void> | undefined
  /** Called at the end of a segment, before anything of the next one is applied. */
  onSeal: ((segment: number) => void) | undefined
  /** This process is folding: until that is over, its parts stay as they are. */
  isFolding: boolean
}

export function emptyView(base: Manifest = NO_MANIFEST): View {
  return {
    state: emptyState(),
    problems: [],
    unlisted: 0,
    repairs: [],
    edits: [],
    filed: mapPerKind(),
    takenOut: mapPerKind(),
    isUnguarded: false,
    base,
    parts: createParts(),
    position: { segment: base.through + 1, offset: 0 },
    seq: base.seq,
    clock: base.clock,
    applied: new Map(),
    late: new Map(),
    changed: new Map(),
    unplaced: [],
    dirty: new Set(),
    following: undefined,
    onSeal: undefined,
    isFolding: false,
  }
}

/** Applies what was written to the log since the last look; pauses between pieces. */
export function* followLog(view: View, paths: HivePaths): Generator<void, void, void> {
  // A look that was paused sees only what was there when it began.
  if (view.following !== undefined) yield* goOn(view, view.following)
  yield* goOn(view, applyLines(view, paths))
}

function* goOn(view: View, steps: Generator<void, void, void>): Generator<void, void, void> {
  view.following = steps
  try {
    while (!steps.next().done) yield
  } finally {
    if (view.following === steps) view.following = undefined
  }
}

function* applyLines(view: View, paths: HivePaths): Generator<void, void, void> {
  for (const found of follow(paths.log, view.position)) {
    if (found === undefined) yield
    else takeLine(view, found)
  }
}

function takeLine(view: View, { line, position, bytes }: FoundLine): void {
  switch (line.what) {
    case "seal":
      view.onSeal?.(position.segment)
      break
    case "broken":
      note(
        view,
        quarantined("broken_line", logName(position.segment), line.reason, {
          raw: bytes.toString("utf8", 0, MAX_RAW_BYTES),
        }),
      )
      break
    case "entry":
      takeEntry(view, line.entry, position.segment)
  }
}

/**
 * An ordered entry counts if it comes next: it has the number after the last one that counted. One with an earlier
 * number was written on a state that is no longer the newest (its writer had lost the lock); one with a later number
 * follows a line that cannot be read, which is a problem of that line.
 */
function takeEntry(view: View, entry: Entry, segment: number): void {
  view.clock = Math.max(view.clock, entry.clock)
  if (view.applied.has(entry.id)) return
  if (entry.seq !== undefined) {
    if (entry.seq <= view.seq) {
      view.late.set(entry.id, lateProblem(entry, segment))
      return
    }
    view.seq = entry.seq
    view.late.delete(entry.id)
  }
  view.applied.set(entry.id, segment)
  for (const op of entry.ops) {
    if (entry.by.tool === HAND_EDIT.tool && "kind" in op) noteFiled(view, op)
    applyChange(view, op, segment, entry)
  }
}

function applyChange(view: View, op: Op, segment: number, entry: Entry): void {
  // What was measured of sessions has a log of its own.
  if (!("kind" in op)) return
  rememberBase(view, op, segment)
  // What the log says of the same thing is later than what was seen in a file.
  if (view.edits.length > 0) view.edits = view.edits.flatMap((edit) => unlessOvertaken(edit, op))
  if (kinds.some((kind) => view.takenOut[kind].size > 0)) view.isUnguarded = true
  const reason = applyOp(view.state, op)
  if (reason === undefined) return
  const { kind } = op
  const raw = JSON.stringify(entry).slice(0, MAX_RAW_BYTES)
  note(view, quarantined("missing_record", logName(segment), reason, { kind, id: entry.id, raw }))
}

/** Another process, or this one, has put into the log what it saw in a file: there it is no news any more. */
function noteFiled(view: View, op: RecordOp): void {
  const filed = view.filed[op.kind]
  switch (op.op) {
    case "add":
      filed.set(op.record.id, op.record)
      break
    case "set": {
      const before = filed.get(op.id) ?? fileRecord(view, op.kind, op.id)
      // Good fields over a good record are a good record.
      if (before !== undefined) filed.set(op.id, { ...before, ...op.to } as AnyRecord)
      break
    }
    case "drop":
      filed.set(op.id, null)
  }
}

/** A record as its file holds it, as far as that is known. */
export function fileRecord(view: View, kind: Kind, id: string): AnyRecord | undefined {
  const filed = view.filed[kind].get(id)
  if (filed !== undefined) return filed ?? undefined
  for (const segment of [...view.changed.keys()].sort((a, b) => a - b)) {
    const changed = view.changed.get(segment)?.[kind]
    if (changed?.has(id)) return changed.get(id)
  }
  return recordsOf(view.state, kind).get(id) ?? view.takenOut[kind].get(id)
}

/** What is left of a change by hand after the log has changed the same record. */
function unlessOvertaken(edit: Op, later: RecordOp): Op[] {
  if (!("kind" in edit) || edit.kind !== later.kind || recordId(edit) !== recordId(later)) return [edit]
  if (edit.op !== "set" || later.op !== "set") return []
  const without = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in later.to)))
  const to = without(edit.to)
  return Object.keys(to).length === 0 ? [] : [setOp(edit.kind, edit.id, to, without(edit.was))]
}

function recordId(op: RecordOp): string {
  return op.op === "add" ? op.record.id : op.id
}

/** Kept until the next fold: a change by hand is told from one of ours by what the parts held. */
function rememberBase(view: View, op: RecordOp, segment: number): void {
  const id = recordId(op)
  const changed = view.changed.get(segment) ?? mapPerKind<Changed>()
  view.changed.set(segment, changed)
  if (changed[op.kind].has(id)) return
  changed[op.kind].set(id, recordsOf(view.state, op.kind).get(id))
  view.unplaced.push({ kind: op.kind, id })
}

/** Finds the part of each changed record; new ones get a place, and those that are gone leave theirs. */
export function* placeChanges(view: View): Generator<void, void, void> {
  const waiting = view.unplaced
  view.unplaced = []
  for (const { kind, id } of waiting) {
    const isThere = recordsOf(view.state, kind).has(id) || view.takenOut[kind].has(id)
    const part = isThere ? view.parts.placeOf(kind, id) : view.parts.remove(kind, id)
    if (part !== undefined) view.dirty.add(part)
    yield
  }
}

/** The parts hold everything up to there by now. */
export function forgetFolded(view: View, manifest: Manifest): void {
  view.base = manifest
  view.filed = mapPerKind()
  view.problems = view.problems.flatMap((problem) => unlessFolded(view, problem))
  for (const segment of view.changed.keys()) if (segment <= manifest.through) view.changed.delete(segment)
  // A write may be tried twice around the end of a segment.
  for (const [id, segment] of view.applied) if (segment < manifest.through) view.applied.delete(id)
  for (const id of manifest.void) view.late.delete(id)
}

/** A problem of a file that is no longer in use is over; a link that leads nowhere is not. */
function unlessFolded(view: View, problem: Problem): Problem[] {
  const { code, file, kind, id } = problem
  const segment = /^graph\/log\/(\d+)/.exec(file)?.[1]
  if (segment !== undefined) return Number(segment) > view.base.through ? [problem] : []
  if (!file.startsWith("graph/parts/")) return [problem]
  const isLink = code === "broken_link" || code === "repaired_link"
  const part = isLink && kind !== null && id !== null ? view.parts.find(kind, id) : undefined
  if (part !== undefined) return [{ ...problem, file: `graph/parts/${part.file}` }]
  return view.base.parts.some((each) => file === `graph/parts/${each.file}`) ? [problem] : []
}

/** How much was written since the last fold, about: segments in between count as full ones. */
export function bytesSinceFold({ position, base }: View): number {
  return position.offset + (position.segment - base.through - 1) * FULL_SEGMENT_BYTES
}

export function entriesSinceFold({ applied, base }: View): number {
  let count = 0
  for (const segment of applied.values()) if (segment > base.through) count++
  return count
}

/** Notes a problem, unless there are too many to list. */
export function note(view: View, problem: Problem): void {
  if (view.problems.length < MAX_PROBLEMS) view.problems.push(problem)
  else view.unlisted++
}

function lateProblem(entry: Entry, segment: number): Problem {
  return quarantined("overtaken", logName(segment), "another entry came first; it was not applied", {
    id: entry.id,
    raw: JSON.stringify(entry).slice(0, MAX_RAW_BYTES),
  })
}

export function logName(segment: number): string {
  return `graph/log/${String(segment).padStart(6, "0")}.jsonl`
}

const MAX_PROBLEMS = 1000
const MAX_RAW_BYTES = 10_000
const FULL_SEGMENT_BYTES = 1 << 20
