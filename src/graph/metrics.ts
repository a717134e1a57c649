import type { Op } from "../schemas/op.ts"
import { type GraphState, ownValue } from "./state.ts"

export type Counts = Readonly<Record<string, number>>

export function countsOf(state: GraphState, session: string | null): Counts {
  return session === null ? {} : (state.metrics.get(session)?.counts ?? {})
}

export function countIn(counts: Counts, name: string): number {
  return ownValue(counts, name) ?? 0
}

export function countOf(state: GraphState, session: string, name: string): number {
  return countIn(countsOf(state, session), name)
}

export type Registers = Readonly<Record<string, string | number>>

export function registersOf(state: GraphState, session: string | null): Registers {
  return session === null ? {} : (state.metrics.get(session)?.registers ?? {})
}

export function numberIn(registers: Registers, name: string): number {
  const value = ownValue(registers, name)
  return typeof value === "number" ? value : 0
}

export function compactionsOf(state: GraphState, session: string): number {
  return state.metrics.get(session)?.compactions ?? 0
}

export function isCompaction(op: Op, session: string): boolean {
  return op.op === "compaction" && op.session === session
}

export function isOutsideEdit(op: Op, session: string): boolean {
  return op.op === "outside_edit" && op.session === session
}
