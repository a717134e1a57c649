import { mergeEntry, putBackIn, takeBack } from "../graph/merge/apply.ts"
import { type MergeDraft, openMergeDraft } from "../graph/merge/draft.ts"
import { byClock } from "../graph/merge/order.ts"
import { changeBetween, type GraphState, isSame } from "../graph/state.ts"
import type { Conflict } from "../schemas/conflict.ts"
import { type Entry, SYNC_TOOL } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { addOp, dropOp, isAddOf, isSetOf, type Op, setOp } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"

export interface MergeInput {
  state: GraphState
  archived?: { get(id: string): Mem | undefined; linkingTo(ids: ReadonlySet<string>): Pausing<Mem[]> }
  newestFirst: Iterable<Entry | undefined>
  /** Entries of other clones. Those already in the log are skipped. */
  incoming: readonly Entry[]
}

export interface MergePlan {
  brought: Entry[]
  settled: Op[]
}

/** Computes the graph as if all entries were applied by their clocks. Reverts only entries after the first incoming one. */
export function* planMerge({ state, archived, newestFirst, incoming }: MergeInput): Pausing<MergePlan> {
  const target = openMergeDraft(state, archived?.get)
  const window = yield* rewind(target, newestFirst, incoming)
  const known = new Set(window.map(({ id }) => id))
  const fresh = incoming.filter(({ id }) => !known.has(id)).sort(byClock)
  if (archived !== undefined)
    target.addArchived(yield* archived.linkingTo(recordsNeedingLinks(target, [...window, ...fresh])))
  for (const [n, entry] of [...window, ...fresh].sort(byClock).entries()) {
    mergeEntry(target, entry)
    if (n % PAUSE_EVERY === 0) yield
  }
  const contested = yield* changedFields(window)
  const now = openMergeDraft(state, archived?.get)
  const brought: Entry[] = []
  for (const [n, entry] of fresh.entries()) {
    const ops = entry.ops.flatMap((op) => opsToApply(op, now, target, contested))
    brought.push({ ...entry, ops, ...(!isSame(ops, entry.ops) && { meant: entry.ops }) })
    if (n % PAUSE_EVERY === 0) yield
  }
  return { brought, settled: yield* opsBetween(now, target) }
}

/** Marks entries up to which the graph is the exact result of all entries. Later merges revert no further back. */
export function* markNewest({ brought, settled }: MergePlan, clock: number): Generator<Entry> {
  const isVerbatim = brought.every(({ meant }) => meant === undefined)
  let highest = clock
  for (const [n, entry] of brought.entries()) {
    const isExact = settled.length === 0 && (isVerbatim || n === brought.length - 1)
    const { newest: _, ...rest } = entry
    yield isExact && entry.clock > highest ? { ...rest, newest: true } : rest
    highest = Math.max(highest, entry.clock)
  }
}

export function conflictsIn(settled: readonly Op[]): Conflict[] {
  return settled.flatMap((op) => (isAddOf(op, "conflict") ? op.record : []))
}

/** Reverts entries back to the first incoming one, or to an older one before which no clock is higher. */
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
    // Ops that earlier merges computed are computed again, from the entries that those merges brought.
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

/** Returns the ops that apply an incoming op here. Leaves out fields that entries in the log have changed too. */
function opsToApply(op: Op, now: MergeDraft, target: MergeDraft, contested: ReadonlySet<string>): Op[] {
  if (!("kind" in op) || op.op === "archive") return []
  const { kind } = op
  const id = op.op === "add" ? op.record.id : op.id
  if (contested.has(keyOf(kind, id))) return []
  const before = now.get(kind, id)
  switch (op.op) {
    case "add": {
      if (before !== undefined || target.get(kind, id) === undefined) return []
      return put(now, kind, op.record)
    }
    case "set": {
      if (before === undefined) return []
      const free = Object.entries(op.to).filter(([field]) => !contested.has(`${kind} ${id} ${field}`))
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
  // An archived mem that does not change stays in the archive.
  if (ops.length > 0) draft.put(kind, record)
  return ops
}

function* changedFields(entries: readonly Entry[]): Pausing<Set<string>> {
  const touched = new Set<string>()
  for (const [n, { ops, meant }] of entries.entries()) {
    if (n % PAUSE_EVERY === 0) yield
    for (const op of meant ?? ops) {
      if (op.op === "set") for (const field of Object.keys(op.to)) touched.add(`${op.kind} ${op.id} ${field}`)
      else if (op.op === "drop") touched.add(keyOf(op.kind, op.id))
    }
  }
  return touched
}

/** Returns ids of records that are dropped, restored or superseded again: the merge also needs the archived mems that link to them. */
function recordsNeedingLinks(draft: MergeDraft, entries: readonly Entry[]): Set<string> {
  const ops = entries.flatMap((entry) => entry.meant ?? entry.ops)
  const needing = new Set([...ops.flatMap((op) => (op.op === "drop" ? op.id : [])), ...putBackIn(ops)])
  const superseded = new Set<string>()
  for (const op of ops) {
    if (!isSetOf(op, "mem") || op.to.status !== "superseded") continue
    const { id } = op
    // The cast is safe: the kind is mem.
    const isAgain = superseded.has(id) || (draft.get("mem", id) as Mem | undefined)?.status === "superseded"
    if (isAgain) needing.add(id)
    superseded.add(id)
  }
  return needing
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`
}

function* opsBetween(from: MergeDraft, to: MergeDraft): Pausing<Op[]> {
  const ops: Op[] = []
  const seen = new Set<string>()
  for (const { kind, id } of [...to.touched(), ...from.touched()]) {
    if (seen.has(keyOf(kind, id))) continue
    seen.add(keyOf(kind, id))
    const after = to.get(kind, id)
    ops.push(...(after === undefined ? dropped(from, kind, id) : changed(from, kind, after)))
    if (seen.size % PAUSE_EVERY === 0) yield
  }
  return ops
}

// The casts are safe: the kind and the record belong together, which TypeScript cannot see.
function changed(draft: MergeDraft, kind: Kind, after: AnyRecord): Op[] {
  const before = draft.get(kind, after.id)
  if (before === undefined) return [addOp(kind, after as never)]
  const change = changeBetween<AnyRecord>(before, after)
  if (change === undefined) return []
  const op = setOp(kind, after.id, change.to as never, change.was as never)
  // First returns the archived mem unchanged, then changes it, so that an undo can archive it again (see isReturn).
  return draft.isInGraph(kind, after.id) ? [op] : [addOp(kind, before as never), op]
}

function dropped(draft: MergeDraft, kind: Kind, id: string): Op[] {
  const before = draft.get(kind, id)
  if (before === undefined) return []
  const op = dropOp(kind, before as never)
  return draft.isInGraph(kind, id) ? [op] : [addOp(kind, before as never), op]
}

const PAUSE_EVERY = 20
