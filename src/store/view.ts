import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp, emptyState, mapPerKind, recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { type Op, type RecordOp, recordIdOf } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow, type Position } from "./log/follower.ts"
import { segmentName } from "./log/segments.ts"
import { type Manifest, NO_MANIFEST } from "./snapshot/manifest.ts"
import { createParts, type Part } from "./snapshot/parts.ts"

type RecordKey = { kind: Kind; id: string }

/** The graph in one process, and how far it has read the log. */
export type View = ReturnType<typeof emptyView>

export function emptyView(base: Manifest = NO_MANIFEST) {
  return {
    state: emptyState(),
    problems: [] as Problem[],
    /** How many problems did not fit into `problems`. A damaged file can cause a hundred thousand. */
    unlisted: 0,
    /** Repairs made while reading. The next ordered write logs them. */
    repairs: [] as Op[],
    /** Records with broken links. They are not in `state`, but still in their files. */
    takenOut: mapPerKind<Record<Kind, Map<string, AnyRecord>>>(),
    /** Missing link targets. If one of them is added, links are checked again. */
    missing: new Set<string>(),
    mustCheckLinks: false,
    /** The manifest of the last load or fold. */
    base,
    parts: createParts(),
    position: { segment: base.through + 1, offset: 0 } as Position,
    seq: base.seq,
    clock: base.clock,
    applied: new Map<string, number>(),
    /** Ordered entries that have no effect, because another process wrote its entry first. */
    overtaken: new Map<string, Problem>(),
    /** Mems deleted since the last fold, with the log segment of the deletion. Their archived copies do not count. */
    droppedMems: new Map<string, number>(),
    /** Mems archived since the last fold, with the log segment. Needed if the manifest with their file is lost. */
    archivedMems: new Map<string, { mem: Mem; segment: number }>(),
    /** How many archived mems did not fit into `archivedMems`. */
    unkeptMems: 0,
    changed: new Map<number, Map<string, RecordKey>>(),
    /** Changed records that are not assigned to a part yet. */
    unplaced: [] as RecordKey[],
    dirty: new Set<Part>(), // The parts that the next fold must write.
    /** The reading of the log that is in progress, perhaps paused; undefined if there is none. */
    following: undefined as Generator<void, void, void> | undefined,
    /** Called at a seal, before the entries after it are applied. */
    onSeal: undefined as ((segment: number) => void) | undefined,
    isFolding: false,
  }
}

export function bytesSinceFold({ position, base }: View): number {
  return position.offset + (position.segment - base.through - 1) * FULL_SEGMENT_BYTES
}

export function entriesSinceFold({ applied, base }: View): number {
  return [...applied.values()].filter((segment) => segment > base.through).length
}

export function note(view: View, problem: Problem): void {
  if (view.problems.length < MAX_PROBLEMS) view.problems.push(problem)
  else view.unlisted++
}

export function logName(segment: number): string {
  return `graph/log/${segmentName(segment)}`
}

/** How far this view has read the log, and which entries have no effect. */
export function logPosition({ position, base, overtaken }: View): Pick<Manifest, "through" | "void"> {
  return { through: position.segment, void: [...base.void, ...overtaken.keys()] }
}

function noteChange(view: View, op: RecordOp, segment: number): void {
  const { kind } = op
  const id = recordIdOf(op)
  if (kind === "mem") rememberMem(view, op.op, id, segment)
  const changed = view.changed.get(segment) ?? new Map<string, RecordKey>()
  view.changed.set(segment, changed)
  changed.set(`${kind} ${id}`, { kind, id })
  // Added even if it is listed already: the record may be new, deleted, or added again.
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

/** Assigns new records to parts, and removes deleted records from theirs. */
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

export function forgetFolded(view: View, manifest: Manifest): void {
  const { through } = manifest
  view.base = manifest
  view.problems = view.problems.flatMap((problem) => problemAfterFold(view, problem))
  for (const segment of view.changed.keys()) if (segment <= through) view.changed.delete(segment)
  for (const [id, { segment }] of view.archivedMems) if (segment <= through) view.archivedMems.delete(id)
  view.unkeptMems = 0
  for (const [id, segment] of view.droppedMems) if (segment <= through) view.droppedMems.delete(id)
  // Keeps the ids of the last segment, because a write may be retried around its end.
  for (const [id, segment] of view.applied) if (segment < through) view.applied.delete(id)
  for (const id of manifest.void) view.overtaken.delete(id)
}

/** Keeps or drops a problem after a fold: problems of replaced files are solved, broken links are not. */
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

/** Returns records with broken links to the graph, because their link targets may exist again. */
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

export function* followLog(view: View, paths: HivePaths): Generator<void, void, void> {
  // First finishes a reading that another caller has paused, because only one reading may move the position.
  while (view.following !== undefined) yield* continueReading(view, view.following)
  yield* continueReading(view, applyLines(view, paths))
}

function* continueReading(view: View, steps: Generator<void, void, void>): Generator<void, void, void> {
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
    else applyLine(view, found)
  }
}

function applyLine(view: View, { line, position, bytes }: FoundLine): void {
  switch (line.what) {
    case "seal":
      view.onSeal?.(position.segment)
      break
    case "broken": {
      const raw = bytes.toString("utf8", 0, MAX_RAW_BYTES)
      const code = line.isTorn ? "torn_line" : "broken_line"
      const problem = quarantined(code, logName(position.segment), line.reason, { raw })
      note(view, line.isTorn ? { ...problem, level: "warning" } : problem)
      break
    }
    case "entry":
      applyEntry(view, line.entry, position.segment)
  }
}

/** An ordered entry with an old `seq` has no effect: its writer had lost the lock and did not know the newest state. */
function applyEntry(view: View, entry: Entry, segment: number): void {
  const { id, seq } = entry
  view.clock = Math.max(view.clock, entry.clock)
  if (view.applied.has(id)) return
  if (seq !== undefined) {
    if (seq <= view.seq) {
      const reason = "another process wrote its entry first, so this one was not applied"
      view.overtaken.set(id, quarantined("overtaken", logName(segment), reason, { id, raw: rawOf(entry) }))
      return
    }
    view.seq = seq
    view.overtaken.delete(id)
  }
  view.applied.set(id, segment)
  for (const op of entry.ops) applyChange(view, op, segment, entry)
}

function applyChange(view: View, op: Op, segment: number, entry: Entry): void {
  if (!("kind" in op)) return
  noteChange(view, op, segment)
  const id = recordIdOf(op)
  const isBack = op.op === "add" && view.missing.has(id)
  if (isBack || view.takenOut[op.kind].has(id)) view.mustCheckLinks = true
  const reason = applyOp(view.state, op)
  if (reason === undefined) return
  const details = { kind: op.kind, id: entry.id, raw: rawOf(entry) }
  note(view, quarantined("missing_record", logName(segment), reason, details))
}

function rawOf(entry: Entry): string {
  return JSON.stringify(entry).slice(0, MAX_RAW_BYTES)
}

const MAX_RAW_BYTES = 10_000
