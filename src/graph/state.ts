import type { Op } from "../schemas/journal.ts"
import { type AnyRecord, type Kind, kinds, type RecordOf, recordSchemas } from "../schemas/records.ts"
import type { Metrics } from "../schemas/session.ts"
import { newMemMap } from "./mem-map.ts"

/** The graph in memory: one map per kind. Records are never changed in place; a change puts a new object. */
export type GraphState = { readonly [K in Kind]: Map<string, RecordOf<K>> }

export function emptyState(): GraphState {
  const maps = kinds.map((kind) => [kind, kind === "mem" ? newMemMap() : new Map()])
  return Object.fromEntries(maps) as unknown as GraphState
}

/** Maps are typed per kind; code that works on any kind goes through this one view. */
export function recordsOf(state: GraphState, kind: Kind): Map<string, AnyRecord> {
  return state[kind] as Map<string, AnyRecord>
}

/** Applies one op; returns why it could not be applied, or undefined. Never throws: it runs on files we may not trust. */
export function applyOp(state: GraphState, op: Op): string | undefined {
  switch (op.op) {
    case "add": {
      const records = recordsOf(state, op.kind)
      const parsed = recordSchemas[op.kind].safeParse(op.record)
      if (!parsed.success) return `the added ${op.kind} is not valid: ${firstIssue(parsed.error)}`
      if (!records.has(parsed.data.id)) records.set(parsed.data.id, parsed.data)
      return undefined
    }
    case "set": {
      const records = recordsOf(state, op.kind)
      const before = records.get(op.id)
      if (before === undefined) return `it changes the ${op.kind} ${op.id}, which is not there`
      const parsed = recordSchemas[op.kind].safeParse({ ...before, ...op.to })
      if (!parsed.success) return `the changed ${op.kind} is not valid: ${firstIssue(parsed.error)}`
      records.set(op.id, parsed.data)
      return undefined
    }
    case "drop":
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
    case "mark": {
      const before = metricsOf(state, op.session)
      const marks = { ...before.marks, [op.what]: (before.marks[op.what] ?? 0) + 1 }
      state.metrics.set(op.session, { ...before, marks })
      return undefined
    }
  }
}

function metricsOf(state: GraphState, session: string): Metrics {
  return state.metrics.get(session) ?? { id: session, counts: {}, registers: {}, marks: {} }
}

/** Not what every JavaScript object has by that name. */
export function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

export function firstIssue(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0]
  if (issue === undefined) return "unknown rule"
  return issue.path.length > 0 ? `${issue.path.map(String).join(".")}: ${issue.message}` : issue.message
}
