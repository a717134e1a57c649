import { type GraphState, ownValue } from "./state.ts"
import type { Transaction } from "./transaction.ts"

/** The counters of one session, by name. */
export type Counts = Readonly<Record<string, number>>

export function countsOf(state: GraphState, session: string | null): Counts {
  return session === null ? {} : (state.metrics.get(session)?.counts ?? {})
}

/**
 * A counter; 0 where nothing was counted. Below zero it is none too: two processes that reset it at the same moment
 * have both subtracted, and the next who sets it puts that right.
 */
export function countIn(counts: Counts, name: string): number {
  return Math.max(0, rawCount(counts, name))
}

/** A moment (in seconds) that a counter holds; 0 where there is none, or one that has not come yet. */
export function timeIn(counts: Counts, name: string, now: number): number {
  const seconds = countIn(counts, name)
  return seconds * 1000 > now ? 0 : seconds
}

export function countOf(state: GraphState, session: string, name: string): number {
  return countIn(countsOf(state, session), name)
}

/** The registers of one session, by name: the last value that was set. */
export type Registers = Readonly<Record<string, string | number>>

export function registersOf(state: GraphState, session: string | null): Registers {
  return session === null ? {} : (state.metrics.get(session)?.registers ?? {})
}

export function registerOf(state: GraphState, session: string, name: string): string | number | undefined {
  return ownValue(registersOf(state, session), name)
}

/** A register that holds a number; 0 where there is none. */
export function numberIn(registers: Registers, name: string): number {
  const value = ownValue(registers, name)
  return typeof value === "number" ? value : 0
}

/**
 * Sets a counter by adding the difference, so that it commutes like every other count. Two processes that set the same
 * one at the same moment both add theirs; the next who sets it puts that right.
 */
export function setCount(
  tx: Transaction,
  state: GraphState,
  session: string,
  name: string,
  value: number,
): void {
  const difference = value - rawCount(countsOf(state, session), name)
  if (difference !== 0) tx.count(session, name, difference)
}

function rawCount(counts: Counts, name: string): number {
  return ownValue(counts, name) ?? 0
}
