import { changeBetween, isSame } from "../graph/change.ts"
import { mergeEntry, takeBack } from "../graph/merge/apply.ts"
import { isBase, takeOutBase } from "../graph/merge/base.ts"
import { type MergeDraft, openMergeDraft } from "../graph/merge/draft.ts"
import { byClock } from "../graph/merge/order.ts"
import { putBackIn } from "../graph/merge/replaced.ts"
import type { GraphState } from "../graph/state.ts"
import type { Conflict } from "../schemas/conflict.ts"
import { type Entry, SYNC_TOOL } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { addOp, dropOp, isAddOf, type Op, setOp } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"

export interface MergeInput {
  state: GraphState
  /** Where there is an archive. */
  archived?: {
    get(id: string): Mem | undefined
    /** Those that link to one of these records. */
    linkingTo(ids: ReadonlySet<string>): Pausing<Mem[]>
  }
  /** The log of this clone, without what is older than it. `undefined` is a pause. */
  newestFirst: Iterable<Entry | undefined>
  /** Entries of other clones. Those that are here already are passed over. */
  incoming: readonly Entry[]
}

export interface MergePlan {
  /** What to write, in this order: the others' entries with what of them comes into force. */
  brought: Entry[]
  /** What else follows from the order of all entries: settled conflicts, and own changes that lost. */
  settled: Op[]
}

/**
 * Finds what the graph becomes with the entries of other clones among its own: as if all had been written one after
 * another in the order of their clocks. Only what is newer than the oldest of the new ones is taken back and written
 * again, so this costs what was done on both sides since they last met.
 */
export function* planMerge({ state, archived, newestFirst, incoming }: MergeInput): Pausing<MergePlan> {
  const target = openMergeDraft(state, archived?.get)
  const window = yield* rewind(target, newestFirst, incoming)
  const known = new Set(window.map(({ id }) => id))
  const fresh = incoming.filter(({ id }) => !known.has(id)).sort(byClock)
  if (archived !== undefined) target.addArchived(yield* archived.linkingTo(leanedOn([...window, ...fresh])))
  const base = ownBase(target, state, [...window, ...fresh])
  for (const [n, entry] of [...base, ...window, ...fresh].sort(byClock).entries()) {
    mergeEntry(target, entry)
    if (n % PAUSE_EVERY === 0) yield
  }
  const contested = yield* fieldsOf(window)
  const now = openMergeDraft(state, archived?.get)
  const brought: Entry[] = []
  for (const [n, entry] of fresh.entries()) {
    const ops = entry.ops.flatMap((op) => inForce(op, now, target, contested))
    brought.push({ ...entry, ops, ...(!isSame(ops, entry.ops) && { meant: entry.ops }) })
    if (n % PAUSE_EVERY === 0) yield
  }
  return { brought, settled: yield* between(now, target) }
}

/**
 * Those that were brought, with the mark where nothing that was here before has as high a clock. Whoever stops there must
 * find the graph as all before it make it: that is so behind each if all came into force as they were written, else only
 * behind the last one, and where something was settled behind that.
 */
export function* markNewest({ brought, settled }: MergePlan, clock: number): Generator<Entry> {
  const isVerbatim = brought.every(({ meant }) => meant === undefined)
  let highest = clock
  for (const [n, entry] of brought.entries()) {
    const isWhole = settled.length === 0 && (isVerbatim || n === brought.length - 1)
    const { newest: _, ...rest } = entry
    yield isWhole && entry.clock > highest ? { ...rest, newest: true } : rest
    highest = Math.max(highest, entry.clock)
  }
}

/** The conflicts that were found. */
export function conflictsIn(settled: readonly Op[]): Conflict[] {
  return settled.flatMap((op) => (isAddOf(op, "conflict") ? op.record : []))
}

/**
 * Takes back all that comes after the first of the new entries in the order, and returns it. An own ordered entry has a
 * higher clock than everything that was here before it, and so have some that were brought: so where such a one is older
 * than the new ones, all before it is.
 */
function* rewind(
  draft: MergeDraft,
  newestFirst: Iterable<Entry | undefined>,
  incoming: readonly Entry[],
): Pausing<Entry[]> {
  const window: Entry[] = []
  let first = incoming.reduce((lowest, { clock }) => Math.min(lowest, clock), Number.POSITIVE_INFINITY)
  let isUnsettled = false
  let count = 0
  for (const entry of newestFirst) {
    if (entry === undefined) {
      yield
      continue
    }
    const isOwn = entry.brought === undefined
    const isNewest = isOwn ? entry.seq !== undefined : entry.newest === true
    if (isNewest && entry.clock < first && !isUnsettled) break
    takeBack(draft, entry)
    if (++count % PAUSE_EVERY === 0) yield
    // What an earlier merge settled is found anew, from what that had brought.
    if (entry.by.tool === SYNC_TOOL) {
      isUnsettled = true
      continue
    }
    window.push(entry)
    if (isOwn) continue
    isUnsettled = false
    first = Math.min(first, entry.clock)
  }
  return window
}

/** What this clone has from before its log, where others have brought such records: then all of the log is taken back. */
function ownBase(draft: MergeDraft, state: GraphState, entries: readonly Entry[]): Entry[] {
  const brought = entries.filter(isBase)
  if (brought.length === 0) return []
  const known = new Set(brought.map(({ id }) => id))
  const touched = Array.from(draft.touched()).flatMap(({ kind, id }) => (kind === "anchor" ? id : []))
  return takeOutBase(draft, brought, [...state.anchor.keys(), ...touched]).filter(({ id }) => !known.has(id))
}

/** What an op of another clone changes here, leaving alone what was changed here meanwhile: that is settled as a whole. */
function inForce(op: Op, now: MergeDraft, target: MergeDraft, contested: ReadonlySet<string>): Op[] {
  if (!("kind" in op) || op.op === "archive") return []
  const { kind } = op
  const id = op.op === "add" ? op.record.id : op.id
  if (contested.has(wholeOf(kind, id))) return []
  const before = now.get(kind, id)
  switch (op.op) {
    case "add": {
      if (before !== undefined || target.get(kind, id) === undefined) return []
      return put(now, kind, op.record)
    }
    case "set": {
      if (before === undefined) return []
      const free = Object.entries(op.to).filter(([field]) => !contested.has(`${kind} ${id} ${field}`))
      // Good fields over a good record are a good record.
      return put(now, kind, { ...before, ...Object.fromEntries(free) } as AnyRecord)
    }
    case "drop": {
      if (target.get(kind, id) !== undefined) return []
      const ops = dropped(now, kind, id)
      now.remove(kind, id)
      return ops
    }
  }
}

function put(draft: MergeDraft, kind: Kind, record: AnyRecord): Op[] {
  const ops = changed(draft, kind, record)
  // What does not change stays where it is: a mem in the archive does not come back for nothing.
  if (ops.length > 0) draft.put(kind, record)
  return ops
}

/** Every field that these entries touch. */
function* fieldsOf(entries: readonly Entry[]): Pausing<Set<string>> {
  const touched = new Set<string>()
  for (const [n, { ops, meant }] of entries.entries()) {
    if (n % PAUSE_EVERY === 0) yield
    for (const op of meant ?? ops) {
      if (op.op === "set") for (const field of Object.keys(op.to)) touched.add(`${op.kind} ${op.id} ${field}`)
      else if (op.op === "drop") touched.add(wholeOf(op.kind, op.id))
    }
  }
  return touched
}

/** Whether one of these may go, or come back in force, depends on what links to it, in the archive too. */
function leanedOn(entries: readonly Entry[]): Set<string> {
  const ops = entries.flatMap((entry) => entry.meant ?? entry.ops)
  return new Set([...ops.flatMap((op) => (op.op === "drop" ? op.id : [])), ...putBackIn(ops)])
}

function wholeOf(kind: string, id: string): string {
  return `${kind} ${id}`
}

/** What leads from one draft to the other, over the same state. */
function* between(from: MergeDraft, to: MergeDraft): Pausing<Op[]> {
  const ops: Op[] = []
  const seen = new Set<string>()
  for (const { kind, id } of [...to.touched(), ...from.touched()]) {
    if (seen.has(wholeOf(kind, id))) continue
    seen.add(wholeOf(kind, id))
    const after = to.get(kind, id)
    ops.push(...(after === undefined ? dropped(from, kind, id) : changed(from, kind, after)))
    if (seen.size % PAUSE_EVERY === 0) yield
  }
  return ops
}

// The casts of these two: while the kind is open, TypeScript does not see that kind and record belong together.
function changed(draft: MergeDraft, kind: Kind, after: AnyRecord): Op[] {
  const before = draft.get(kind, after.id)
  if (before === undefined) return [addOp(kind, after as never)]
  const change = changeBetween<AnyRecord>(before, after)
  if (change === undefined) return []
  const op = setOp(kind, after.id, change.to as never, change.was as never)
  // One that is in the archive comes back as it was there, so that it can be taken back to that; see isReturn.
  return draft.isInGraph(kind, after.id) ? [op] : [addOp(kind, before as never), op]
}

function dropped(draft: MergeDraft, kind: Kind, id: string): Op[] {
  const before = draft.get(kind, id)
  if (before === undefined) return []
  const op = dropOp(kind, before as never)
  // Likewise.
  return draft.isInGraph(kind, id) ? [op] : [addOp(kind, before as never), op]
}

const PAUSE_EVERY = 20
