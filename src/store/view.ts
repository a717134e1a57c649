import type { Problem } from "../graph/problem.ts"
import { emptyState, type GraphState, mapPerKind } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Op } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Position } from "./log/follower.ts"
import { segmentName } from "./log/segments.ts"
import { type Manifest, NO_MANIFEST } from "./snapshot/manifest.ts"
import { createParts, type Part, type Parts } from "./snapshot/parts.ts"

/** What records were before the first change of a segment; undefined for one that was not there. */
export type ChangedRecords = Record<Kind, Map<string, AnyRecord | undefined>>

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
  /** Ids that links lead to and nothing is there: if one of them comes, the links are walked again. */
  missing: Set<string>
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
  /** Mems that were dropped since the base, with the segment: what the archive has of them does not count any more. */
  gone: Map<string, number>
  /** Mems that went to the archive since the base, with the segment: if the manifest with their file is lost, they are here. */
  archived: Map<string, { mem: Mem; segment: number }>
  /** How many more there are: a log whose manifests are all lost may have a million. */
  unheld: number
  /** What changed since the base, by segment. */
  changed: Map<number, ChangedRecords>
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
    missing: new Set(),
    isUnguarded: false,
    base,
    parts: createParts(),
    position: { segment: base.through + 1, offset: 0 },
    seq: base.seq,
    clock: base.clock,
    applied: new Map(),
    late: new Map(),
    gone: new Map(),
    archived: new Map(),
    unheld: 0,
    changed: new Map(),
    unplaced: [],
    dirty: new Set(),
    following: undefined,
    onSeal: undefined,
    isFolding: false,
  }
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

export function logName(segment: number): string {
  return `graph/log/${segmentName(segment)}`
}

const MAX_PROBLEMS = 1000
const FULL_SEGMENT_BYTES = 1 << 20
