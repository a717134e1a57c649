import type { Bar, Figures } from "../section.ts"

/** One question put to the recorded sessions. Its rows have three cells: what, figure, detail. */
export interface SessionsPart {
  rows: string[][]
  bars: Bar[]
  notes: string[]
  /** Printed after the notes. */
  list?: string[]
  figures: Figures
}
