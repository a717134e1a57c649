import { toolUses } from "../gate/call.ts"
import { type Counts, countIn, countsOf, numberIn, type Registers, registersOf } from "../graph/metrics.ts"
import type { GraphState } from "../graph/state.ts"

/**
 * Counters and registers of one session. Counters only ever grow, so writers add up in any order; a register holds
 * what was set last. Nothing is ever subtracted: see docs/decisions/0012-rows-without-subtraction.md.
 */
export interface SessionMetrics {
  counts: Counts
  registers: Registers
}

export function metricsOf(state: GraphState, session: string | null): SessionMetrics {
  return { counts: countsOf(state, session), registers: registersOf(state, session) }
}

/** Rows of events, by their counter. The counter grows on; the row is what came since it began. */
export const rows = [
  "failed_steps",
  "cancels",
  "failed_checks",
  "rewrites",
  "same_calls",
  "same_updates",
  "reads",
  "writes_without_task",
  "turns_on_task",
  "stuck_words",
] as const
export type Row = (typeof rows)[number]

/** A row that never began is 0, whatever its counter says. */
export function rowLength({ counts, registers }: SessionMetrics, row: Row): number {
  const start = registers[rowStart(row)]
  return typeof start === "number" ? countIn(counts, row) - start : 0
}

/** The register that holds what a row's counter was when the row began. */
export function rowStart(row: Row): string {
  return `${row} before row`
}

export function allCalls({ counts }: SessionMetrics): number {
  return toolUses.reduce((sum, use) => sum + countIn(counts, `calls ${use}`), 0)
}

/** Taken as a difference, so that a call costs no counter more. */
export function callsThisMinute(metrics: SessionMetrics): number {
  return allCalls(metrics) - numberIn(metrics.registers, "calls_before_minute")
}

/** A register that holds text; "" where it is not set. */
export function textIn({ registers }: SessionMetrics, name: string): string {
  const text = registers[name]
  return typeof text === "string" ? text : ""
}

/** A moment that a register holds, in ms; undefined where there is none, or one that has not come yet. */
export function timeIn({ registers }: SessionMetrics, name: string, now: number): number | undefined {
  const time = registers[name]
  return typeof time === "number" && time <= now ? time : undefined
}
