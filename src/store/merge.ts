import { mergeEntry, putBackIn, takeBack } from "../graph/merge/apply.ts"
import { type MergeDraft, openMergeDraft } from "../graph/merge/draft.ts"
import { byClock } from "../graph/merge/order.ts"
import { changeBetween, type GraphState, isSame } from "../graph/state.ts"
import type { Conflict } from "../schemas/conflict.ts"
import { type Entry, SYNC_TOOL } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { addOp, dropOp, isAddOf, type Op, setOp } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"

export interface MergeInput {
  state: GraphState
  /** Of a store with an archive. */
  archived?: {
    get(id: string): Mem | undefined
    /** Those that link to one of these records. */
    linkingTo(ids: ReadonlySet<string>): Pausing<Mem[]>
  }
  /** The log of this clone. `undefined` is a pause. */
  newestFirst: Iterable<Entry | undefined>
  /** Entries of other clones. Skips those that are in the log already. */
  incoming: readonly Entry[]
}

export interface MergePlan {
  /** The entries of others, in this order, with those of their ops that come into force. */
  brought: Entry[]
  /** Further changes that follow from the order of all entries: settled conflicts, and own changes that lost. */
  settled: Op[]
}

/**
 * Computes the graph with the entries of other clones among its own, as if all had been written one after another in the
 * order of their clocks. Only entries that are newer than the oldest incoming one are taken back and applied again, so the
 * cost depends on the entries of both sides since their last sync.
 */
export function* planMerge({ state, archived, newestFirst, incoming }: MergeInput): Pausing<MergePlan> {
  const target = openMergeDraft(state, archived?.get)
  const window = yield* rewind(target, newestFirst, incoming)
  const known = new Set(window.map(({ id }) => id))
  const fresh = incoming.filter(({ id }) => !known.has(id)).sort(byClock)
  if (archived !== undefined)
    target.addArchived(yield* archived.linkingTo(recordsNeedingLinks([...window, ...fresh])))
  for (const [n, entry] of [...window, ...fresh].sort(byClock).entries()) {
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
 * Sets `newest` on incoming entries whose clock is higher than that of all entries before them. A later merge stops taking
 * back at such an entry, so the graph right behind it must be what all entries before it make: true for each if all came
 * into force as written, else only for the last one, and for none if something was settled after that.
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
 * Takes back all entries that come after the first incoming one in the order, and returns them. An own ordered entry has a
 * higher clock than all entries before it in the log, and so has an incoming one marked `newest`: if it is older than the
 * incoming entries, so are all before it.
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
    // Conflicts that an earlier merge settled are settled again, from the entries that it had brought.
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

/** The ops by which an op of another clone comes into force. Leaves out fields that were changed here: they are settled later. */
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
  // Without a change, a mem in the archive stays there.
  if (ops.length > 0) draft.put(kind, record)
  return ops
}

/** Every field that these entries change. */
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

/** Records that may be dropped or come back only depending on the mems that link to them, also archived ones. */
function recordsNeedingLinks(entries: readonly Entry[]): Set<string> {
  const ops = entries.flatMap((entry) => entry.meant ?? entry.ops)
  return new Set([...ops.flatMap((op) => (op.op === "drop" ? op.id : [])), ...putBackIn(ops)])
}

function wholeOf(kind: string, id: string): string {
  return `${kind} ${id}`
}

/** The ops that lead from one draft to the other, over the same state. */
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

// The casts below: for an open kind, TypeScript does not see that kind and record belong together.
function changed(draft: MergeDraft, kind: Kind, after: AnyRecord): Op[] {
  const before = draft.get(kind, after.id)
  if (before === undefined) return [addOp(kind, after as never)]
  const change = changeBetween<AnyRecord>(before, after)
  if (change === undefined) return []
  const op = setOp(kind, after.id, change.to as never, change.was as never)
  // A mem in the archive comes back as it was there, so that this can be taken back; see isReturn.
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
