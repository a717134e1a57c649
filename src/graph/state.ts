import type { Op } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Metrics } from "../schemas/session.ts"
import type { Pausing } from "../shared/slices.ts"
import { newRecords, type Records } from "./indexes.ts"
import type { RecordMap } from "./record-map.ts"

/** The graph in memory: one map per kind. Records are immutable; a change replaces the object. */
export type GraphState = { readonly [K in Kind]: Records<K> }

export function emptyState(): GraphState {
  return forEachKind(newRecords)
}

/** Builds the indexes of all maps with pauses, so that the first query does not have to build them. */
export function* makeGroups(state: GraphState): Pausing<void> {
  for (const kind of kinds) yield* recordsOf(state, kind).makeGroups()
}

export function mapPerKind<T extends Record<Kind, Map<string, unknown>>>(): T {
  return forEachKind(() => new Map())
}

function forEachKind<T extends Record<Kind, unknown>>(make: (kind: Kind) => unknown): T {
  // The cast is safe: the object has all kinds as keys, and callers give the type of the values.
  return Object.fromEntries(kinds.map((kind) => [kind, make(kind)])) as T
}

/** Returns the map of a kind that is only known at run time. */
export function recordsOf(state: GraphState, kind: Kind): RecordMap<AnyRecord> {
  return state[kind] as unknown as RecordMap<AnyRecord>
}

/** Applies an op. Returns the reason if that is not possible. */
export function applyOp(state: GraphState, op: Op): string | undefined {
  switch (op.op) {
    case "add": {
      const records = recordsOf(state, op.kind)
      if (!records.has(op.record.id)) records.set(op.record.id, op.record)
      return undefined
    }
    case "set": {
      const records = recordsOf(state, op.kind)
      const before = records.get(op.id)
      if (before === undefined) return `it changes the ${op.kind} ${op.id}, which does not exist`
      // The cast is safe: record and fields were both validated, and no schema has a rule about two fields.
      records.set(op.id, { ...before, ...op.to } as AnyRecord)
      return undefined
    }
    case "drop":
    case "archive":
      recordsOf(state, op.kind).delete(op.id)
      return undefined
    case "count": {
      const before = metricsOf(state, op.session)
      const counts = { ...before.counts, [op.name]: (ownValue(before.counts, op.name) ?? 0) + op.by }
      state.metrics.set(op.session, { ...before, counts })
      return undefined
    }
    case "register": {
      const before = metricsOf(state, op.session)
      const { [op.name]: _, ...registers } = before.registers
      if (op.to !== null) registers[op.name] = op.to
      state.metrics.set(op.session, { ...before, registers })
      return undefined
    }
    case "compaction": {
      const before = metricsOf(state, op.session)
      state.metrics.set(op.session, { ...before, compactions: before.compactions + 1 })
      return undefined
    }
    case "outside_edit":
      return applyOp(state, { op: "count", session: op.session, name: "outside_edits", by: 1 })
  }
}

export function isInForce(state: GraphState, op: Op): boolean {
  if (!("kind" in op)) return true
  const now = recordsOf(state, op.kind).get(op.op === "add" ? op.record.id : op.id)
  switch (op.op) {
    case "add":
      return now !== undefined && isSame(now, op.record)
    case "set":
      return now !== undefined && changeBetween({ ...now, ...op.to }, { ...now }) === undefined
    case "drop":
    case "archive":
      return now === undefined
  }
}

function metricsOf(state: GraphState, session: string): Metrics {
  return state.metrics.get(session) ?? { id: session, counts: {}, registers: {}, compactions: 0 }
}

/** Reads an own property, because inherited ones such as `toString` are no data. */
export function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

export function changeBetween<T extends object>(
  before: T,
  after: T,
  fields: readonly string[] = Object.keys(after),
): { to: Partial<T>; was: Partial<T> } | undefined {
  const to: Partial<T> = {}
  const was: Partial<T> = {}
  for (const field of fields as readonly (keyof T)[]) {
    if (field === "id" || isSame(before[field], after[field])) continue
    to[field] = after[field]
    was[field] = before[field]
  }
  return Object.keys(to).length > 0 ? { to, was } : undefined
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
