import type { Problem } from "../graph/problem.ts"
import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import type { Author, Entry } from "../schemas/journal.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { SnapshotFile } from "../schemas/records.ts"

/** Where the graph lives. Two of them: files (`openFileStore`) and memory (`openMemoryStore`), one contract. */
export interface Store {
  /** The newest state. Never throws, never locks; what is returned is only valid until the next call. */
  read(): Reading
  /**
   * An ordered write: `build` runs on the newest state while no other process writes. It may run more than once,
   * so it must only use its transaction. Rejects with a HiveError, and then nothing was written.
   */
  write<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** A write without the lock, for what commutes with everything: new mems and checkpoints, counters. */
  append<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** Takes one entry back; refused where later entries build on it. */
  undo(entryId: string, by: Author): Promise<Entry>
  /**
   * Every entry ever written, oldest first. `"recent"`: only those that are not in the history yet, which is quick.
   * `{ since, naming }`: at least those from that month on that have this text in them, which is nearly as quick.
   */
  log(which?: "all" | "recent" | LogPart): Entry[]
  /** The graph as it was at that moment (ms). */
  asOf(time: number): GraphState
  /** Mems that left the hot set. */
  archived(): ReadonlyMap<string, Mem>
  /** Brings snapshots up to date and moves the journal to the history; `"idle"`: only if that is worth rewriting them. */
  fold(when?: "now" | "idle"): Promise<FoldReport>
  health(): Health
  /** Whether there is anything yet: opening makes nothing, the first write does. */
  isThere(): boolean
  /** Waits for writes under way; later ones are refused. */
  close(): Promise<void>
}

export interface LogPart {
  since: string
  /** Such as the id of a session. */
  naming: string
}

export interface Reading {
  state: GraphState
  problems: readonly Problem[]
}

export interface Written<T> {
  /** Null where `build` changed nothing. */
  entry: Entry | null
  result: T
}

export interface FoldReport {
  folded: boolean
  /** Why nothing was folded, or what was done. */
  note: string
}

export interface Health {
  problems: readonly Problem[]
  /** Snapshots changed by hand since the last fold: in force, not in the log yet. */
  edited: readonly SnapshotFile[]
  /** What is not in the snapshots yet. */
  journal: { entries: number; bytes: number }
  lockAgeMs: number | undefined
  format: number
}
