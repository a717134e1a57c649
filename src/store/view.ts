import type { Problem } from "../graph/problem.ts"
import { emptyState, type GraphState, mapPerKind, recordsOf } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { type Op, type RecordOp, recordIdOf } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Position } from "./log/follower.ts"
import { segmentName } from "./log/segments.ts"
import { type Manifest, NO_MANIFEST } from "./snapshot/manifest.ts"
import { createParts, type Part, type Parts } from "./snapshot/parts.ts"

interface RecordKey {
  kind: Kind
  id: string
}

/** The graph as one process sees it, and how far it has read the log. */
export interface View {
  state: GraphState
  problems: Problem[]
  /** How many more problems there are: a file can be broken in a hundred thousand places. */
  unlisted: number
  /** Repairs in memory; the next ordered write puts them into the log. */
  repairs: Op[]
  /** Records that are not in the graph because their links lead nowhere; they stay in their files. */
  takenOut: Record<Kind, Map<string, AnyRecord>>
  /** Ids that links lead to and that do not exist: if one of them comes, the links are checked again. */
  missing: Set<string>
  /** A change may have broken links, or repaired them. */
  mustCheckLinks: boolean
  /** The manifest this view was loaded from, or of the last fold since. */
  base: Manifest
  parts: Parts
  position: Position
  /** The number of the last ordered entry, and the highest clock. */
  seq: number
  clock: number
  /** Entries since the base with their segment, so that none is applied twice. */
  applied: Map<string, number>
  /** Ordered entries that do not count because another one had come first, by id. */
  overtaken: Map<string, Problem>
  /** Mems that were dropped since the base, with the segment: copies of them in the archive do not count any more. */
  droppedMems: Map<string, number>
  /** Mems that went to the archive since the base, with the segment: read from here if the manifest with their file is lost. */
  archivedMems: Map<string, { mem: Mem; segment: number }>
  /** How many more of them there are: a log whose manifests are all lost may have a million. */
  unkeptMems: number
  /** Records that changed since the base, by segment and by kind and id. */
  changed: Map<number, Map<string, RecordKey>>
  /** Changed records whose parts are not among the dirty ones yet, and the parts that a fold has to write. */
  unplaced: RecordKey[]
  dirty: Set<Part>
  /** The reading of the log that is under way. It may be paused, and there is only ever one. */
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
    takenOut: mapPerKind(),
    missing: new Set(),
    mustCheckLinks: false,
    base,
    parts: createParts(),
    position: { segment: base.through + 1, offset: 0 },
    seq: base.seq,
    clock: base.clock,
    applied: new Map(),
    overtaken: new Map(),
    droppedMems: new Map(),
    archivedMems: new Map(),
    unkeptMems: 0,
    changed: new Map(),
    unplaced: [],
    dirty: new Set(),
    following: undefined,
    onSeal: undefined,
    isFolding: false,
  }
}

/** About how much was written since the last fold: segments in between count as full ones. */
export function bytesSinceFold({ position, base }: View): number {
  return position.offset + (position.segment - base.through - 1) * FULL_SEGMENT_BYTES
}

export function entriesSinceFold({ applied, base }: View): number {
  return [...applied.values()].filter((segment) => segment > base.through).length
}

/** Adds a problem, unless there are too many to list. */
export function note(view: View, problem: Problem): void {
  if (view.problems.length < MAX_PROBLEMS) view.problems.push(problem)
  else view.unlisted++
}

export function logName(segment: number): string {
  return `graph/log/${segmentName(segment)}`
}

/** The log that a view has read: up to a segment, without the entries that do not count. */
export function logPosition({ position, base, overtaken }: View): Pick<Manifest, "through" | "void"> {
  return { through: position.segment, void: [...base.void, ...overtaken.keys()] }
}

/** Notes which record an op is about to change, for the next fold. */
export function noteChange(view: View, op: RecordOp, segment: number): void {
  const { kind } = op
  const id = recordIdOf(op)
  if (kind === "mem") rememberMem(view, op.op, id, segment)
  const changed = view.changed.get(segment) ?? new Map<string, RecordKey>()
  view.changed.set(segment, changed)
  changed.set(`${kind} ${id}`, { kind, id })
  // Each time: a fold may have found its part already, and a record that went may be back.
  view.unplaced.push({ kind, id })
}

function rememberMem(view: View, op: RecordOp["op"], id: string, segment: number): void {
  if (op === "drop") view.droppedMems.set(id, segment)
  if (op === "add") view.droppedMems.delete(id)
  if (op === "set") return
  view.archivedMems.delete(id)
  const mem = view.state.mem.get(id)
  if (op !== "archive" || mem === undefined) return
  if (view.archivedMems.size >= MAX_KEPT) view.unkeptMems++
  else view.archivedMems.set(id, { mem, segment })
}

/** Finds the part of each changed record. New records get a place; records that are gone leave theirs. */
export function* placeChanges(view: View): Pausing<void> {
  const waiting = view.unplaced
  view.unplaced = []
  for (const { kind, id } of waiting) {
    const isThere = recordsOf(view.state, kind).has(id) || view.takenOut[kind].has(id)
    const part = isThere ? view.parts.placeOf(kind, id) : view.parts.remove(kind, id)
    if (part !== undefined) view.dirty.add(part)
    yield
  }
}

/** After a fold: the parts have everything up to the end of the manifest's segment. */
export function forgetFolded(view: View, manifest: Manifest): void {
  const { through } = manifest
  view.base = manifest
  view.problems = view.problems.flatMap((problem) => problemAfterFold(view, problem))
  for (const segment of view.changed.keys()) if (segment <= through) view.changed.delete(segment)
  for (const [id, { segment }] of view.archivedMems) if (segment <= through) view.archivedMems.delete(id)
  view.unkeptMems = 0
  for (const [id, segment] of view.droppedMems) if (segment <= through) view.droppedMems.delete(id)
  // Those of the last segment stay: a write may be tried twice around its end.
  for (const [id, segment] of view.applied) if (segment < through) view.applied.delete(id)
  for (const id of manifest.void) view.overtaken.delete(id)
}

/** A problem of a file that is no longer in use is over; a link that leads nowhere is not. */
function problemAfterFold(view: View, problem: Problem): Problem[] {
  const { code, file, kind, id } = problem
  const segment = /^graph\/log\/(\d+)/.exec(file)?.[1]
  if (segment !== undefined) return Number(segment) > view.base.through ? [problem] : []
  const manifest = /^graph\/manifest\.(\d+)/.exec(file)?.[1]
  if (manifest !== undefined) return Number(manifest) > view.base.number ? [problem] : []
  if (!file.startsWith("graph/parts/")) return [problem]
  const isLink = code === "broken_link" || code === "repaired_link"
  const part = isLink && kind !== null && id !== null ? view.parts.find(kind, id) : undefined
  if (part !== undefined) return [{ ...problem, file: `graph/parts/${part.file}` }]
  return view.base.parts.some((each) => file === `graph/parts/${each.file}`) ? [problem] : []
}

/** The records that their links lead to may be there again. */
export function restoreTakenOut(view: View): void {
  for (const kind of kinds) {
    const records = recordsOf(view.state, kind)
    for (const [id, record] of view.takenOut[kind]) if (!records.has(id)) records.set(id, record)
    view.takenOut[kind].clear()
  }
}

const MAX_PROBLEMS = 1000
const MAX_KEPT = 20_000
const FULL_SEGMENT_BYTES = 1 << 20
