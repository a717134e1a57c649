/** One part of the benchmark. To add one: write it in a folder of its own and put it into sections.ts. */
export interface Section {
  /** For `--only`, and its key in results.json. */
  name: string
  title: string
  /** Takes long: runs only where it is asked for. */
  isLong?: boolean
  run: (bench: Bench) => Promise<Findings>
}

/** What a section gets to work with. */
export interface Bench {
  /** How many mems are there already. */
  sizes: number[]
  /** The size that the bars are about. */
  barSize: number
  isQuick: boolean
  /** As many rounds as asked for, or two in a quick run. */
  rounds: (count: number) => number
  /** Says on stderr what is going on. */
  progress: (text: string) => void
  /** A new, empty folder; gone when the section is over. */
  folder: () => string
  /** A project with that many mems, made once per run. Shared, so copy it before writing to it. */
  filledProject: (mems: number, shape?: Shape) => Promise<string>
}

/**
 * `settled`: the snapshots are up to date, as after a fold on idle.
 * `before a fold`: as much in the journal as there can ever be, so loading costs the most.
 */
export type Shape = "settled" | "before a fold"

export interface Findings {
  table: Table
  bars: Bar[]
  /** Lines under the table: how it was measured, what to keep in mind. */
  notes: string[]
  /** Printed after the notes, and kept nowhere. */
  list?: string[]
  /** All figures for results.json, unrounded. */
  figures: Figures
}

export interface Figures {
  [name: string]: number | string | Figures
}

export interface Table {
  head: string[]
  rows: string[][]
}

/** A figure and the bar that it has to hold. */
export interface Bar {
  what: string
  /** undefined: what it is measured with is not here. */
  value: number | undefined
  unit: string
  atLeast?: number
  atMost?: number
}
