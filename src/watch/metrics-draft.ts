import { countIn } from "../graph/metrics.ts"
import type { Transaction } from "../graph/transaction.ts"
import { type Row, rowLength, rowStart, type SessionMetrics } from "./session-metrics.ts"

/** A session's metrics with changes that are not written yet. */
export interface MetricsDraft {
  /** With the changes so far. */
  readonly metrics: SessionMetrics
  add(counter: string, by?: number): void
  /** null clears. */
  set(register: string, to: string | number | null): void
  /** One more in a row that goes on, or begins. */
  extendRow(row: Row, by?: number): void
  /** Ends the row; what comes next begins a new one. */
  endRow(row: Row): void
  write(tx: Transaction, session: string): void
}

export function draftMetrics(before: SessionMetrics): MetricsDraft {
  const counts = { ...before.counts }
  const registers = { ...before.registers }
  const metrics = { counts, registers }
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
    extendRow(row, by) {
      if (registers[rowStart(row)] === undefined) set(rowStart(row), countIn(counts, row))
      add(row, by)
    },
    endRow(row) {
      if (rowLength(metrics, row) !== 0) set(rowStart(row), countIn(counts, row))
    },
    write(tx, session) {
      for (const [name, by] of added) tx.count(session, name, by)
      for (const [name, to] of assigned) tx.register(session, name, to)
    },
  }
}
