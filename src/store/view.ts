import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp, emptyState, type GraphState, mapPerKind, recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/journal.ts"
import type { Op } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow, type Position } from "./log/follower.ts"
import { type Manifest, NO_MANIFEST } from "./snapshot/manifest.ts"
import { createParts, type Part, type Parts } from "./snapshot/parts.ts"

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
}

export function emptyView(base: Manifest = NO_MANIFEST): View {
  return {
    state: emptyState(),
    problems: [],
    unlisted: 0,
    repairs: [],
    edits: [],
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
  }
}

/** Applies what was written to the log since the last look; pauses between pieces. */
export function* followLog(view: View, paths: HivePaths): Generator<void, void, void> {
  const steps = view.following ?? applyLines(view, paths)
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
  for (const op of entry.ops) applyChange(view, op, segment, entry)
}

function applyChange(view: View, op: Op, segment: number, entry: Entry): void {
  // What was measured of sessions has a log of its own.
  if (!("kind" in op)) return
  rememberBase(view, op, segment)
  const reason = applyOp(view.state, op)
  if (reason === undefined) return
  const { kind } = op
  const raw = JSON.stringify(entry).slice(0, MAX_RAW_BYTES)
  note(view, quarantined("missing_record", logName(segment), reason, { kind, id: entry.id, raw }))
}

/** Kept until the next fold: a change by hand is told from one of ours by what the parts held. */
function rememberBase(view: View, op: Extract<Op, { kind: Kind }>, segment: number): void {
  const id = op.op === "add" ? op.record.id : op.id
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
    const isThere = recordsOf(view.state, kind).has(id)
    const part = isThere ? view.parts.placeOf(kind, id) : view.parts.remove(kind, id)
    if (part !== undefined) view.dirty.add(part)
    yield
  }
}

/** The parts hold everything up to there by now. */
export function forgetFolded(view: View, manifest: Manifest): void {
  view.base = manifest
  for (const segment of view.changed.keys()) if (segment <= manifest.through) view.changed.delete(segment)
  // A write may be tried twice around the end of a segment.
  for (const [id, segment] of view.applied) if (segment < manifest.through) view.applied.delete(id)
  for (const id of manifest.void) view.late.delete(id)
}

/** How much was written since the last fold, about: segments in between count as full ones. */
export function bytesSinceFold({ position, base }: View): number {
  return position.offset + (position.segment - base.through - 1) * FULL_SEGMENT_BYTES
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
