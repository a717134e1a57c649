import { existsSync } from "node:fs"
import { quarantined } from "../graph/problem.ts"
import type { GraphState } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import { undoEntry } from "../graph/undo.ts"
import { upgradeState } from "../graph/upgrade-state.ts"
import type { Author, Entry } from "../schemas/journal.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Op } from "../schemas/op.ts"
import { snapshotNames } from "../schemas/records.ts"
import type { Source } from "../shared/ids.ts"
import { createQueue } from "../shared/queue.ts"
import { openAppender } from "./appender.ts"
import { openArchive } from "./archive.ts"
import { sweepTempFiles } from "./atomic-write.ts"
import { checkCommutes, makeEntry } from "./entries.ts"
import { alwaysOvertaken, closedStore, findEntry, nothingToUndo } from "./find-entry.ts"
import { fold } from "./fold.ts"
import { readLog, readRecent, replay } from "./history.ts"
import { createLayout, hivePaths } from "./layout.ts"
import { lockAge, takeLock } from "./lock.ts"
import { FORMAT, readFormat, refuseNewerFormat, writeFormat } from "./manifest.ts"
import { openReader } from "./reader.ts"
import type { FoldReport, Health, Reading, Store, Written } from "./store.ts"
import { upgradeFiles } from "./upgrades.ts"
import { emptyView } from "./view.ts"

export interface FileStoreOptions {
  source: Source
  /** Which mems may leave the hot set at a fold. */
  leaving?: (state: GraphState, now: number) => Mem[]
  /** Fold by itself once the journal is this long; it also has to be worth a share of the snapshots. */
  foldAfterBytes?: number
  /** Told of errors that no caller waits for, such as in a fold that started by itself. */
  onBackgroundError?: (error: unknown) => void
}

/** The store in `.hivemind/`. Opening touches nothing; the first write makes the folders. */
export function openFileStore(projectDir: string, options: FileStoreOptions): Store {
  const { source, leaving = () => [] } = options
  const paths = hivePaths(projectDir)
  const archive = openArchive(paths)
  const reader = openReader(paths, archive)
  const appender = openAppender(paths.journal)
  const queue = createQueue()
  let pending: { line: string; done: (error?: unknown) => void }[] = []
  let isReady = false
  let isClosed = false
  let isFolding = false
  let view = emptyView()

  function read(): Reading {
    try {
      view = reader.refresh()
      return view
    } catch (error) {
      // Unreadable folder, vanished disk: the caller is in the middle of a turn, so the last state goes on.
      const reason = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
      return { ...view, problems: [...view.problems, quarantined("unreadable", "graph/", reason)] }
    }
  }

  function isThere(): boolean {
    return existsSync(paths.graph)
  }

  async function prepare(): Promise<void> {
    if (isClosed) throw closedStore()
    // Asked every time: a newer version may have upgraded the files since.
    refuseNewerFormat(paths)
    if (isReady && isThere()) return
    await createLayout(projectDir)
    const { format, manifest } = readFormat(paths)
    if (format < FORMAT) await locked(upgrade)
    else if (manifest !== "good") await writeFormat(paths, FORMAT, source.now())
    sweepTempFiles(paths, source.now())
    isReady = true
  }

  async function upgrade(isHeld: () => boolean): Promise<true | "overtaken"> {
    // Another process may have done it while this one waited for the lock.
    if (readFormat(paths).format === FORMAT) return true
    const view = reader.reload()
    const commitOps = (ops: Op[]) => commit(makeEntry(source, UPGRADE, ops, { after: view.head }), isHeld)
    const isDone = await upgradeFiles({ paths, view, now: source.now(), isHeld, commit: commitOps })
    return isDone || "overtaken"
  }

  async function append<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>> {
    const { ops, result } = draftOps(read().state, archive.has, build)
    checkCommutes(ops)
    if (ops.length === 0) return { entry: null, result }
    await prepare()
    const entry = makeEntry(source, by, ops)
    await new Promise<void>((resolve, reject) => {
      pending.push({
        line: JSON.stringify(entry),
        done: (error) => (error === undefined ? resolve() : reject(error)),
      })
      if (pending.length === 1) void queue.run(flush)
    })
    foldIfLong()
    return { entry, result }
  }

  /** Appends that came in while the disk was busy share one write and one sync. */
  async function flush(): Promise<void> {
    const batch = pending
    pending = []
    const { written, error } = await appender.append(batch.map(({ line }) => line))
    batch.forEach(({ done }, index) => {
      done(index < written ? undefined : (error ?? closedStore()))
    })
  }

  function write<T>(by: Author, build: (tx: Transaction) => T, undoes?: () => string): Promise<Written<T>> {
    // The same id for every attempt: one that was overtaken and one that counts are the same write.
    const id = source.newId()
    return queue.run(async () => {
      if (!isThere()) {
        // A write that changes nothing is no reason to make the folders that the lock needs.
        const { ops, result } = draftOps(read().state, archive.has, build, undoes !== undefined)
        if (ops.length === 0) return { entry: null, result }
      }
      await prepare()
      const written = await locked((isHeld) => writeOnce(id, by, build, undoes, isHeld))
      foldIfLong()
      return written
    })
  }

  async function writeOnce<T>(
    id: string,
    by: Author,
    build: (tx: Transaction) => T,
    undoes: (() => string) | undefined,
    isHeld: () => boolean,
  ): Promise<Written<T> | "overtaken"> {
    await writeRepairs(isHeld)
    const { state, head } = reader.refresh()
    const { ops, result } = draftOps(state, archive.has, build, undoes !== undefined)
    if (ops.length === 0) return { entry: null, result }
    const entry = makeEntry(source, by, ops, { id, after: head, ...(undoes && { undoes: undoes() }) })
    return (await commit(entry, isHeld)) ? { entry, result } : "overtaken"
  }

  /** What was mended while reading goes into the journal, once, so that the log has it. */
  async function writeRepairs(isHeld: () => boolean): Promise<void> {
    const current = reader.refresh()
    if (current.repairs.length === 0) return
    const entry = makeEntry(source, REPAIR, current.repairs, { after: current.head })
    if (await commit(entry, isHeld)) current.repairs = []
  }

  /** Appends an ordered entry and looks whether it counts: a lock that was lost lets another writer come first. */
  async function commit(entry: Entry, isHeld: () => boolean): Promise<boolean> {
    if (!isHeld()) return false
    const { error } = await appender.append([JSON.stringify(entry)])
    if (error !== undefined) throw error
    return reader.refresh().applied.has(entry.id)
  }

  /** Runs a job under the lock, again if the lock was lost on the way. */
  async function locked<T>(job: (isHeld: () => boolean) => Promise<T | "overtaken">): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const lock = await takeLock(paths, source.now)
      try {
        const result = await job(lock.isHeld)
        if (result !== "overtaken") return result
      } finally {
        await lock.release()
      }
    }
    throw alwaysOvertaken(MAX_ATTEMPTS)
  }

  function foldWhen(isWanted: () => boolean): Promise<FoldReport> {
    return queue.run(async () => {
      await prepare()
      return locked(async (isHeld) => {
        await writeRepairs(isHeld)
        read()
        // Another process may have folded while this one waited for the lock.
        if (!isWanted()) return { folded: false, note: "not worth it yet" }
        return fold({ paths, reader, archive, source, leaving, append: appender.append, isHeld })
      })
    })
  }

  /** A fold rewrites the snapshots, so it waits for a journal in proportion to them: each write pays its share once. */
  function foldIfLong(): void {
    const isLong = () => isWorthIt(options.foldAfterBytes ?? FOLD_AFTER_BYTES, 1 / 2)
    if (isFolding || !isLong()) return
    isFolding = true
    foldWhen(isLong)
      .catch((error: unknown) => options.onBackgroundError?.(error))
      .finally(() => {
        isFolding = false
      })
  }

  function isWorthIt(bytes: number, share: number): boolean {
    const length = view.journal.position
    const snapshots = [...view.snapshots.values()].reduce((sum, snapshot) => sum + snapshot.length, 0)
    return length >= bytes && length >= snapshots * share
  }

  function health(): Health {
    const { problems } = read()
    return {
      problems: [...problems, ...archive.problems()],
      edited: snapshotNames.filter((file) => {
        const snapshot = view.snapshots.get(file)
        return snapshot?.untouched === false && snapshot.problems.length === 0
      }),
      journal: { entries: view.unfolded, bytes: view.journal.position },
      lockAgeMs: lockAge(paths, source.now()),
      format: readFormat(paths).format,
    }
  }

  return {
    read,
    write: (by, build) => write(by, build),
    append,
    async undo(entryId, by) {
      let undone = findEntry(readLog(paths), entryId)
      const undo = (tx: Transaction) => {
        // Looked up under the lock: of two who undo the same entry, the second gets an error.
        undone = findEntry(readLog(paths), entryId)
        undoEntry(tx, undone)
      }
      const { entry } = await write(by, undo, () => undone.id)
      if (entry === null) throw nothingToUndo(undone)
      return entry
    },
    log(which = "all") {
      if (which === "recent") return readRecent(paths)
      return which === "all" ? readLog(paths) : readLog(paths, which)
    },
    asOf(time) {
      const state = replay(readLog(paths).filter((entry) => Date.parse(entry.at) <= time))
      upgradeState(state)
      return state
    },
    archived: archive.all,
    fold: (when = "now") => foldWhen(() => when === "now" || isWorthIt(1, 1 / 20)),
    health,
    isThere,
    async close() {
      await queue.idle()
      isClosed = true
      await queue.run(appender.close)
    },
  }
}

const UPGRADE: Author = { tool: "upgrade", session: null, agent: null }
const REPAIR: Author = { tool: "repair", session: null, agent: null }
const FOLD_AFTER_BYTES = 1 << 20
const MAX_ATTEMPTS = 5
