import type { Problem } from "../graph/problem.ts"
import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import type { Conflict } from "../schemas/conflict.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Kind } from "../schemas/records.ts"
import type { Difference } from "./compare.ts"
import type { IndexFiles } from "./index-files.ts"
import type { SyncMark } from "./sync-mark.ts"

/** Where the graph lives. Two of them: files (`openFileStore`) and memory (`openMemoryStore`), one contract. */
export interface Store {
  /**
   * Loads the graph, or reads on in the log, without holding up the event loop. Reading before that does it in one go.
   * Never rejects: what goes wrong, the next reading tells.
   */
  ready(): Promise<void>
  /** The newest state. Never throws, never locks; what is returned is only valid until the next call. */
  read(): Reading
  /**
   * An ordered write: `build` runs on the newest state while no other process writes. It may run more than once,
   * so it must only use its transaction. Rejects with a HiveError, which says whether anything was written.
   */
  write<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** A write without the lock, for what commutes with everything: new mems and checkpoints, counters. */
  append<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>>
  /** Takes one entry back; refused where later entries build on it. */
  undo(entryId: string, by: Author): Promise<Entry>
  /** Puts entries of other clones among those that are here. Never fails for what they hold; the same everywhere. */
  merge(incoming: readonly Entry[], options?: MergeOptions): Promise<MergeReport>
  /** The name under which this clone writes. */
  clone(): Promise<string>
  /** The same if it has one yet: this makes none. */
  knownClone(): string | undefined
  /** Takes a new name: another clone goes by this one's. */
  renameClone(): Promise<void>
  /** How far syncing has come; undefined where that is not known. */
  syncMark(): SyncMark | undefined
  setSyncMark(mark: SyncMark): Promise<void>
  /** Entries of the log, oldest first: all, or a part, which costs what it holds. What was only counted is not in it. */
  log(part?: LogPart): Promise<Entry[]>
  /** The graph as it was at that moment (ms), without what was counted of sessions. */
  asOf(time: number): Promise<GraphState>
  /** Mems that left the hot set. */
  archive: ArchivedMems
  /** Where recall keeps its index; left out where that is not on disk. */
  index?: IndexFiles | undefined
  /** What is read beside the graph: files of an older tool that are still being taken over. Left out where there are none. */
  older?: OlderFiles
  /** Writes what changed into the parts; `"idle"`: only if that is worth it. */
  fold(when?: "now" | "idle"): Promise<FoldReport>
  /** Looks for damage in files that are rarely read, and writes them again from the log. */
  repair(): Promise<FoldReport>
  health(): Health
  /** Replays the whole log and compares what it makes with the graph. */
  compareWithLog(): Promise<Difference[]>
  /** Whether there is anything yet: opening makes nothing, the first write does. */
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
  /** Entries that came after the one with this id; all, where it is not there. */
  after?: string
  /** Without what was brought from other clones. */
  isOwn?: boolean
  /** The newest so many. */
  limit?: number
}

export interface MergeOptions {
  /** The graph was gone and comes back: what was written counts from then, not from now. */
  isRestored?: boolean
}

export interface MergeReport {
  /** How many entries were not here yet. */
  brought: number
  /** Those that were found, with what was settled by a rule that nobody needs to look at. */
  conflicts: readonly Conflict[]
}

export interface ArchivedMems {
  /** About how many there are. */
  size(): number
  has(id: string): boolean
  get(id: string): Mem | undefined
  /** For many questions in a row: the files stay open, and what was written since may be missing. To be closed. */
  lookups(): { get: (id: string) => Mem | undefined; close: () => void }
  /** Those whose id begins like that, at most so many. */
  startingWith(prefix: string, limit: number): Mem[]
  /** Those that hold this text. */
  naming(text: string): Promise<Mem[]>
  /** All that are not known yet, in the order of their ids, from one on. `undefined` is a pause. */
  walk(isKnown: (id: string) => boolean, from?: string): Iterable<Mem | undefined>
}

interface OlderFiles {
  /** The store without them: for whoever takes them over, or tells others what is in the graph. */
  graph: Store
  /** Their mems, one at a time; undefined where the graph, or what is read beside it, has all of them. */
  mems: () => AsyncIterable<UnlandedMem> | undefined
  /** How many of them are neither in the graph nor read beside it, about; 0 where nobody has counted them. */
  unreadCount: () => number
  /** Puts some of them into the graph before their turn comes: whoever was shown them may write to them. */
  bring: (mems: readonly Mem[]) => Promise<void>
  /** Ids of records that a write needed before their turn had come: they are in the graph, and count as taken over. */
  landedFirst: ReadonlySet<string>
}

/** The graph alone. */
export function graphIn(store: Store): Store {
  return store.older?.graph ?? store
}

/** A mem that is not in the graph yet. */
export interface UnlandedMem extends Pick<Mem, "id" | "content" | "tags" | "kind" | "created_at"> {
  /** As it will be there: checked, its secrets masked. Undefined where it will not come there. */
  checked: () => Mem | undefined
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
  /** Why nothing was folded, or what was done. */
  note: string
  /** More mems may leave the hot set than one fold moves. */
  isUnfinished?: boolean
}

export interface Health {
  problems: readonly Problem[]
  /** Problems beyond those listed. */
  unlisted: number
  /** Parts changed by hand since the last fold, relative to `.hivemind/`: in force, not in the log yet. */
  edited: readonly string[]
  /** What is not in the parts yet. */
  unfolded: { entries: number; bytes: number }
  lockAgeMs: number | undefined
  format: number
}
