import type { Mark, Op } from "../schemas/journal.ts"
import type { AnyRecord, Kind, RecordOf } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import { checkTransaction } from "./check.ts"
import { checkRecord } from "./record-check.ts"
import { type GraphState, recordsOf } from "./state.ts"

/** A set of changes on top of a state that stays as it is until the store has written them. */
export interface Transaction {
  get<K extends Kind>(kind: K, id: string): RecordOf<K> | undefined
  /** The record, or a refusal that says it is not there. */
  need<K extends Kind>(kind: K, id: string): RecordOf<K>
  all<K extends Kind>(kind: K): Iterable<RecordOf<K>>
  add<K extends Kind>(kind: K, record: RecordOf<K>): void
  set<K extends Kind>(kind: K, id: string, to: Partial<RecordOf<K>>): void
  drop(kind: Kind, id: string): void
  /** Counters only ever grow. */
  count(session: string, name: string, by?: number): void
  /** Sets a register of a session; null clears it. */
  register(session: string, name: string, to: string | number | null): void
  mark(session: string, what: Mark): void
}

/** What was changed: id → record, or null where it was dropped. */
type Touched = Map<Kind, Map<string, AnyRecord | null>>

export interface Draft extends Transaction {
  readonly base: GraphState
  readonly touched: Touched
  readonly ops: Op[]
}

/** Runs `build` on a draft over `state` and returns its ops, all checked; throws a HiveError and changes nothing if one is wrong. */
export function draftOps<T>(
  state: GraphState,
  isArchived: (id: string) => boolean,
  build: (tx: Transaction) => T,
  isUndo = false,
): { ops: Op[]; result: T } {
  const draft = openDraft(state)
  const result = build(draft)
  checkTransaction(draft, isArchived, isUndo)
  return { ops: draft.ops, result }
}

function openDraft(base: GraphState): Draft {
  const touched: Touched = new Map()
  const ops: Op[] = []

  const find = (kind: Kind, id: string): AnyRecord | undefined => {
    const changed = touched.get(kind)?.get(id)
    if (changed !== undefined) return changed ?? undefined
    return recordsOf(base, kind).get(id)
  }
  const need = (kind: Kind, id: string): AnyRecord => {
    const record = find(kind, id)
    if (record === undefined) throw missing(kind, id)
    return record
  }
  const touch = (kind: Kind, id: string, record: AnyRecord | null) => {
    const ofKind = touched.get(kind) ?? new Map<string, AnyRecord | null>()
    touched.set(kind, ofKind.set(id, record))
  }

  return {
    base,
    touched,
    ops,
    get: <K extends Kind>(kind: K, id: string) => find(kind, id) as RecordOf<K> | undefined,
    need: <K extends Kind>(kind: K, id: string) => need(kind, id) as RecordOf<K>,
    *all<K extends Kind>(kind: K) {
      const changed = touched.get(kind)
      for (const [id, record] of recordsOf(base, kind)) if (!changed?.has(id)) yield record as RecordOf<K>
      for (const record of changed?.values() ?? []) if (record !== null) yield record as RecordOf<K>
    },
    add(kind, record) {
      const checked = checkRecord(kind, record)
      if (find(kind, checked.id) !== undefined) throw taken(kind, checked.id)
      touch(kind, checked.id, checked)
      ops.push({ op: "add", kind, record: checked })
    },
    set(kind, id, to) {
      const before = need(kind, id) as unknown as Record<string, unknown>
      const checked = checkRecord(kind, { ...before, ...to, id }) as unknown as Record<string, unknown>
      const fields = Object.keys(to).filter((field) => field !== "id" && !same(before[field], checked[field]))
      if (fields.length === 0) return
      touch(kind, id, checked as unknown as AnyRecord)
      const pick = (from: Record<string, unknown>) =>
        Object.fromEntries(fields.map((field) => [field, from[field]]))
      ops.push({ op: "set", kind, id, to: pick(checked), was: pick(before) })
    },
    drop(kind, id) {
      const before = need(kind, id)
      touch(kind, id, null)
      ops.push({ op: "drop", kind, id, was: { ...before } })
    },
    count(session, name, by = 1) {
      ops.push({ op: "count", session, name, by })
    },
    register(session, name, to) {
      ops.push({ op: "register", session, name, to })
    },
    mark(session, what) {
      ops.push({ op: "mark", session, what })
    },
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function missing(kind: Kind, id: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no ${kind} ${id}.`,
    why: "No record of that kind has this id.",
    use_instead: "Use an id that a tool has returned, or list what is there first.",
    evidence: `${kind}.id = ${id}`,
  })
}

function taken(kind: Kind, id: string): HiveError {
  return new HiveError({
    code: "duplicate",
    what: `The ${kind} ${id} is there already.`,
    why: "An id belongs to one record.",
    use_instead: "Change the record that is there, or use a new id.",
    evidence: `${kind}.id = ${id}`,
  })
}
