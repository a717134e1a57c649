import { toolUses } from "../gate/call.ts"
import { type Counts, countIn, countsOf, numberIn, type Registers, registersOf } from "../graph/metrics.ts"
import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"

/**
 * Counters only grow, so the counts of several writers add up; a register holds the last value. The length of a streak (events
 * in a row) is a counter minus a register with its value at the start, so that two writers cannot make it negative.
 */
export interface SessionMetrics {
  counts: Counts
  registers: Registers
}

export function metricsOf(state: GraphState, session: string | null): SessionMetrics {
  return { counts: countsOf(state, session), registers: registersOf(state, session) }
}

export type Streak =
  | "failed_steps"
  | "cancels"
  | "failed_checks"
  | "rewrites"
  | "same_calls"
  | "same_updates"
  | "reads"
  | "writes_without_task"
  | "turns_on_task"
  | "stuck_words"

export function streakLength({ counts, registers }: SessionMetrics, streak: Streak): number {
  const start = registers[streakStart(streak)]
  return typeof start === "number" ? countIn(counts, streak) - start : 0
}

export function streakStart(streak: Streak): string {
  return `${streak} before row`
}

export function allCalls({ counts }: SessionMetrics): number {
  return toolUses.reduce((sum, use) => sum + countIn(counts, `calls ${use}`), 0)
}

/** The calls of the current minute: all calls less those counted before the minute began. */
export function callsThisMinute(metrics: SessionMetrics): number {
  return allCalls(metrics) - numberIn(metrics.registers, "calls_before_minute")
}

export function textIn({ registers }: SessionMetrics, name: string): string {
  const text = registers[name]
  return typeof text === "string" ? text : ""
}

/** A time register in ms; undefined if unset or in the future. */
export function timeIn({ registers }: SessionMetrics, name: string, now: number): number | undefined {
  const time = registers[name]
  return typeof time === "number" && time <= now ? time : undefined
}

export type MetricsDraft = ReturnType<typeof draftMetrics>

/** Collects changes to a session's metrics until they are written. */
export function draftMetrics(before: SessionMetrics) {
  const counts = { ...before.counts }
  const registers = { ...before.registers }
  const metrics: SessionMetrics = { counts, registers }
  const added = new Map<string, number>()
  const assigned = new Map<string, string | number | null>()

  function add(counter: string, by = 1): void {
    counts[counter] = countIn(counts, counter) + by
    added.set(counter, (added.get(counter) ?? 0) + by)
  }

  function set(register: string, to: string | number | null): void {
    if ((registers[register] ?? null) === to) return
    if (to === null) delete registers[register]
    else registers[register] = to
    assigned.set(register, to)
  }

  return {
    metrics,
    add,
    set,
    extendStreak(streak: Streak, by?: number): void {
      if (registers[streakStart(streak)] === undefined) set(streakStart(streak), countIn(counts, streak))
      add(streak, by)
    },
    resetStreak(streak: Streak): void {
      if (streakLength(metrics, streak) !== 0) set(streakStart(streak), countIn(counts, streak))
    },
    write(tx: Transaction, session: string): void {
      for (const [name, by] of added) tx.count(session, name, by)
      for (const [name, to] of assigned) tx.register(session, name, to)
    },
  }
}
