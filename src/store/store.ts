import type { Problem } from "../graph/problem.ts"
import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import type { Conflict } from "../schemas/conflict.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Kind } from "../schemas/records.ts"
import type { SyncMark } from "./clone.ts"
import type { Difference } from "./compare.ts"
import type { IndexFiles } from "./index-files.ts"

/** Where the graph is kept: in files (`openFileStore`), in tests also in memory. */
export interface Store {
  /** Loads the graph, or catches up with the log, in slices. Never rejects: `read` reports errors. */
  ready(): Promise<void>
  /** The newest state. Never throws, never locks; the result is only valid until the next call. */
  read(): Reading
  /**
   * An ordered write: `build` runs on the newest state while no other process writes. It may run more than once, so it
   * must only use its transaction. Rejects with a HiveError, which says whether anything was written.
   */
  write<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** A write without the lock, for changes that commute with all others: new mems and checkpoints, counters. */
  append<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** Takes one entry back; refused if later entries build on it. */
  undo(entryId: string, by: Author): Promise<Entry>
  /** Merges entries of other clones. Never fails because of their content; the result is the same in every clone. */
  merge(incoming: readonly Entry[], options?: MergeOptions): Promise<MergeReport>
  /** The name under which this clone writes. */
  clone(): Promise<string>
  /** The same, without creating one. */
  knownClone(): string | undefined
  /** Takes a new name, because another clone uses this one, too. */
  renameClone(): Promise<void>
  /** How far syncing has come; undefined if that is not known. */
  syncMark(): SyncMark | undefined
  setSyncMark(mark: SyncMark): Promise<void>
  /** Entries of the log, oldest first. The cost of reading a part depends on its size. Counts are not in it. */
  log(part?: LogPart): Promise<Entry[]>
  /** The graph as it was at that moment (ms), without counters of sessions. */
  asOf(time: number): Promise<GraphState>
  /** Mems that left the hot set. */
  archive: ArchivedMems
  /** Where recall keeps its index; left out if it has none on disk. */
  index?: IndexFiles | undefined
  /** Of a store that shows records of older layouts beside the graph: the graph alone. */
  graph?: Store
  /** Writes changes into the parts; `"idle"`: only if that is worth it. */
  fold(when?: "now" | "idle"): Promise<FoldReport>
  /** Searches rarely read files for damage, and writes them again from the log. */
  repair(): Promise<FoldReport>
  health(): Health
  /** Replays the whole log and compares the result with the graph. */
  compareWithLog(): Promise<Difference[]>
  /** True after the first write: opening creates nothing. */
  isThere(): boolean
  /** Waits for writes under way; later ones are refused. */
  close(): Promise<void>
}

export interface LogPart {
  /** Entries from that time on (ISO). */
  since?: string
  /** Entries with this text in them, such as the id of a session. */
  naming?: string
  /** Entries of authors whose tool begins like this. */
  tool?: string
  /** Entries of authors whose tool begins like none of these. */
  besides?: readonly string[]
  /** Entries that add, change or drop a record of one of these kinds. */
  kinds?: readonly Kind[]
  /** Entries after the one with this id; all, if there is none. */
  after?: string
  /** Without entries of other clones. */
  isOwn?: boolean
  /** At most so many, the newest ones. */
  limit?: number
}

export interface MergeOptions {
  /** The graph was lost and comes back: entries count from when they were written, not from now. */
  isRestored?: boolean
}

export interface MergeReport {
  /** How many entries are new. */
  brought: number
  /** All conflicts that were found, also those that need no attention. */
  conflicts: readonly Conflict[]
}

export interface ArchivedMems {
  /** Estimate. */
  size(): number
  has(id: string): boolean
  get(id: string): Mem | undefined
  /** For many lookups in a row: keeps the files open, and may miss mems that are archived meanwhile. Must be closed. */
  lookups(): { get: (id: string) => Mem | undefined; close: () => void }
  /** Those whose id starts with a prefix. */
  startingWith(prefix: string, limit: number): Mem[]
  /** Those that contain this text. */
  naming(text: string): Promise<Mem[]>
  /** All that are not known yet, in the order of their ids, starting at `from`. `undefined` is a pause. */
  walk(isKnown: (id: string) => boolean, from?: string): Iterable<Mem | undefined>
}

/** The graph alone, for the migration and for syncing. */
export function graphIn(store: Store): Store {
  return store.graph ?? store
}

export interface Reading {
  state: GraphState
  problems: readonly Problem[]
}

export interface Written<T> {
  /** Null where `build` changed no record. */
  entry: Entry | null
  result: T
}

export interface FoldReport {
  folded: boolean
  /** Summary of the fold, or why nothing was folded. */
  note: string
  /** More mems may leave the hot set than one fold moves. */
  isUnfinished?: boolean
}

export interface Health {
  problems: readonly Problem[]
  /** Problems beyond those listed. */
  unlisted: number
  /** Not in the parts yet. */
  unfolded: { entries: number; bytes: number }
  lockAgeMs: number | undefined
  format: number
}
