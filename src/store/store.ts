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

/** Stores the graph: in files (`openFileStore`), or in memory for tests. */
export interface Store {
  /** Loads the graph, or catches up with the log, without blocking. Never rejects: `read` reports errors. */
  ready(): Promise<void>
  /** Returns the graph without throwing or locking. The result is valid until the next call. */
  read(): Reading
  /** An ordered write. `build` runs on the newest state under the lock, possibly more than once. */
  write<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** A write without the lock, for changes that commute: new mems, checkpoints and artifacts, and counters. */
  append<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** Undoes an entry. Refused if later entries depend on it. */
  undo(entryId: string, by: Author): Promise<Entry>
  /** Merges entries of other clones, with the same result in every clone. */
  merge(incoming: readonly Entry[], options?: MergeOptions): Promise<MergeReport>
  clone(): Promise<string>
  knownClone(): string | undefined
  /** Gives this clone a new name, or the given one. It needs a new one if another clone has the same name. */
  renameClone(name?: string): Promise<void>
  syncMark(): SyncMark | undefined
  setSyncMark(mark: SyncMark): Promise<void>
  /** Returns a part of the log, oldest first, without counters. A smaller part is read faster. */
  log(part?: LogPart): Promise<Entry[]>
  /** Returns the graph at a past time (ms), without counters. */
  asOf(time: number): Promise<GraphState>
  archive: ArchivedMems
  index?: IndexFiles | undefined
  /** The store of the graph alone, if this one also shows records of older layouts. */
  graph?: Store
  /** `"idle"` folds only if enough has changed. */
  fold(when?: "now" | "idle"): Promise<FoldReport>
  /** Checks files that are rarely read, and rebuilds damaged ones from the log. */
  repair(): Promise<FoldReport>
  health(): Health
  compareWithLog(): Promise<Difference[]>
  isThere(): boolean
  close(): Promise<void>
}

export interface LogPart {
  /** Only entries since this ISO time. */
  since?: string
  /** Only entries that contain this text, such as a session's id. */
  naming?: string
  /** Only entries of tools whose name begins with this. */
  tool?: string
  /** Leaves out entries of tools whose name begins with one of these. */
  besides?: readonly string[]
  kinds?: readonly Kind[]
  /** Only entries after the one with this id. If no entry has the id, all entries. */
  after?: string
  /** True to leave out entries of other clones. */
  isOwn?: boolean
  limit?: number
}

export interface MergeOptions {
  /** True if a lost graph is restored: entries then keep the time at which they were written. */
  isRestored?: boolean
}

export interface MergeReport {
  brought: number
  /** All conflicts, including those that need no attention. */
  conflicts: readonly Conflict[]
}

export interface ArchivedMems {
  /** Estimates the number of archived mems. */
  size(): number
  has(id: string): boolean
  get(id: string): Mem | undefined
  /** Makes many lookups fast: keeps files open, and may miss mems that are archived meanwhile. Must be closed. */
  lookups(): { get: (id: string) => Mem | undefined; close: () => void }
  startingWith(prefix: string, limit: number): Mem[]
  naming(text: string): Promise<Mem[]>
  /** Yields mems for which `isKnown` is false, from the id `from` on; `undefined` is a pause. */
  walk(isKnown: (id: string) => boolean, from?: string): Iterable<Mem | undefined>
}

/** Returns the store of the graph alone, which migration and sync use. */
export function graphIn(store: Store): Store {
  return store.graph ?? store
}

export type Reading = { state: GraphState; problems: readonly Problem[] }

export interface Written<T> {
  /** Null if `build` changed no record. */
  entry: Entry | null
  result: T
}

export interface FoldReport {
  folded: boolean
  note: string
  /** True if one fold could not archive all mems that leave the hot set. */
  isUnfinished?: boolean
}

export interface Health {
  problems: readonly Problem[]
  /** How many problems there are besides the listed ones. */
  unlisted: number
  unfolded: { entries: number; bytes: number }
  lockAgeMs: number | undefined
  format: number
}
