import { join } from "node:path"
import type { GraphState } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import { replacedIn, undoEntry } from "../graph/undo.ts"
import { type Author, type Entry, isReturn } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Op } from "../schemas/op.ts"
import { kinds } from "../schemas/records.ts"
import type { Source } from "../shared/ids.ts"
import { createQueue } from "../shared/queue.ts"
import { runInSlices } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import { openArchive } from "./archive/archive.ts"
import { type RebuiltArchive, rebuildArchive } from "./archive-loss.ts"
import { asOf } from "./as-of.ts"
import { noteBefore } from "./before-hive.ts"
import { cloneName, readCloneName, renewCloneName } from "./clone.ts"
import { compareWithLog } from "./compare.ts"
import { closedStore, linkedFromArchive, nothingToUndo } from "./errors.ts"
import { sweepTempFiles } from "./files/atomic-write.ts"
import { syncFileAside, syncFolderAside } from "./files/folder.ts"
import { existsSync, unlink } from "./files/hive-fs.ts"
import { createLayout, hivePaths } from "./files/layout.ts"
import { findEntry } from "./find-entry.ts"
import { fold } from "./fold.ts"
import { ensureFormat, isReady, readFormat, refuseNewerFormat } from "./format.ts"
import { openIndexFiles } from "./index-files.ts"
import { openLiveView } from "./live-view.ts"
import { lockAge, underLock } from "./lock.ts"
import { openAppender } from "./log/appender.ts"
import { type BackwardsOptions, logBackwards, logPart } from "./log-part.ts"
import { planMerge } from "./merge.ts"
import { saveOrphans } from "./orphans.ts"
import { archiveWatch, readManifests } from "./snapshot/manifest.ts"
import type { FoldReport, Health, MergeOptions, MergeReport, Store, Written } from "./store.ts"
import { readSyncMark, writeSyncMark } from "./sync-mark.ts"
import { bytesSinceFold, entriesSinceFold, type View } from "./view.ts"
import { createWriter } from "./writer.ts"

export interface FileStoreOptions {
  source: Source
  /** Which mems may leave the hot set at a fold. */
  leaving?: (state: GraphState, now: number) => Mem[]
  /** The git branch that new records are made on. */
  branch?: () => string | null
  /** Does git have files of the folder, as it did with HiveMind 0.1? Asked only where its `.gitignore` is not ours. */
  isInGit?: () => boolean
  /** Fold by itself once so much was written since the last fold. */
  foldAfterBytes?: number
  /** Told of errors that no caller waits for, such as in a fold that started by itself. */
  onBackgroundError?: (error: unknown) => void
}

/** The store in `.hivemind/`. Opening touches nothing; the first write makes the folders. */
export function openFileStore(projectDir: string, options: FileStoreOptions): Store {
  const { source, leaving = () => [], foldAfterBytes = FOLD_AFTER_BYTES } = options
  const paths = hivePaths(projectDir)
  const isDropped = (id: string) => live.last().gone.has(id)
  const archive = openArchive(paths.archive, archiveWatch(paths.graph), isDropped)
  const live = openLiveView(paths, archive)
  const { append, close: closeAppender } = openAppender(paths.log)
  let clone = ""
  const onError = (error: unknown) => options.onBackgroundError?.(error)
  const writer = createWriter({
    paths,
    source,
    archive,
    live,
    append,
    writer: () => clone,
    branch: options.branch ?? (() => null),
    onError,
  })
  // Ordered writes and folds of this process, one after another. What needs no lock does not wait for them.
  const ordered = createQueue()
  let isClosed = false
  let folding: Promise<void> | undefined

  function isThere(): boolean {
    return existsSync(paths.graph)
  }

  async function prepare(): Promise<void> {
    if (isClosed) throw closedStore()
    // Asked every time: a newer version may have upgraded the files since.
    refuseNewerFormat(paths)
    if (clone !== "" && existsSync(paths.log)) return
    noteBefore(projectDir)
    const made = await createLayout(projectDir, options.isInGit)
    // A save needs no lock, so it does not wait for one either, except before the first write of all.
    if (!isReady(paths)) await underLock(paths, () => ensureFormat(paths, source))
    // Where the log is gone, so is what was merged into it: under its old name nobody would bring that again.
    clone = made.includes(paths.log) ? renewCloneName(paths, source) : cloneName(paths, source)
    sweepTempFiles(paths, source.now())
    await live.ready()
  }

  async function cloneOf(): Promise<string> {
    await prepare()
    return clone
  }

  async function renameClone(): Promise<void> {
    await prepare()
    clone = renewCloneName(paths, source)
  }

  /** Runs a job once the graph is there. Whatever the disk says is told in words. */
  async function told<T>(doing: string, job: () => Promise<T>): Promise<T> {
    try {
      await live.ready()
      return await job()
    } catch (error) {
      throw explainSystemError(error, doing, paths.root)
    }
  }

  async function appendOp<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>> {
    const written = await writer.appendChanges(by, build, prepare)
    foldIfLong()
    return written
  }

  function write<T>(by: Author, build: (tx: Transaction) => T, undoes?: string): Promise<Written<T>> {
    return ordered.run(async () => {
      if (!isThere()) {
        // A write that changes nothing is no reason to make the folders that the lock needs.
        const { ops, result } = draftOps(live.read().state, archive.has, build)
        if (ops.length === 0) return { entry: null, result }
      }
      await prepare()
      const written = await writer.locked(() => writer.writeChanges(by, build, undoes))
      foldIfLong()
      return written
    })
  }

  async function undo(entryId: string, by: Author): Promise<Entry> {
    const undone = await runInSlices(findEntry(backwards(), entryId))
    const since = firstFoldAfter(undone)
    await refuseIfLinked(undone, since)
    const replacing = await runInSlices(archive.linkingTo(replacedIn(undone), since))
    const { entry } = await write(by, (tx) => undoEntry(tx, undone, archive.get, replacing), undone.id)
    if (entry === null) throw nothingToUndo(undone)
    return entry
  }

  /**
   * The first name that a file of the archive can have which was written after an entry. Older files hold nothing that is
   * built on it and need not be read. Not so for what brings a record back, or comes from another clone.
   */
  function firstFoldAfter({ id, undoes, brought }: Entry): number {
    const segment = undoes === undefined && brought === undefined ? live.last().applied.get(id) : undefined
    return segment ?? 0
  }

  /** Links within the graph are looked at when it is written; those of archived mems are in files. */
  async function refuseIfLinked(undone: Entry, since: number): Promise<void> {
    const added = new Set(
      undone.ops.flatMap((op) => (op.op === "add" && !isReturn(undone, op) ? op.record.id : [])),
    )
    const { state } = live.refresh()
    const found = await runInSlices(archive.linkingTo(added, since))
    const linking = found.find(({ id }) => !state.mem.has(id) && !added.has(id))
    if (linking !== undefined) throw linkedFromArchive(undone, linking)
  }

  function stateAsOf(time: number): Promise<GraphState> {
    const view = live.refresh()
    const { get, close } = archive.lookups()
    // A mem that leaves the hot set meanwhile goes into a newer file.
    const archived = (id: string) => get(id) ?? archive.get(id)
    const newestFirst = () => logBackwards(view, paths)
    return runInSlices(asOf(view.state, newestFirst, time, archived)).finally(close)
  }

  function merge(incoming: readonly Entry[], options: MergeOptions = {}): Promise<MergeReport> {
    if (incoming.length === 0) return Promise.resolve({ brought: 0, conflicts: [] })
    return ordered.run(async () => {
      await prepare()
      const report = await writer.locked(async () => {
        if ((await writer.writePending()) === "again") return "again"
        const { state } = live.refresh()
        const newestFirst = backwards()
        const { get, close } = archive.lookups()
        const archived = { get, linkingTo: archive.linkingTo }
        const plan = await runInSlices(planMerge({ state, archived, newestFirst, incoming })).finally(close)
        return writer.writeMerged(plan, options)
      })
      foldIfLong()
      return report
    })
  }

  async function foldWhen(isWanted: (view: View) => boolean): Promise<FoldReport> {
    const made: string[] = []
    try {
      // Before the lock is taken, and beside other writes: the whole log is read.
      const rebuilt = archive.isDamaged() && mayFold(isWanted) ? await rebuild(made) : undefined
      return await foldNow(isWanted, rebuilt)
    } finally {
      await removeUnused(made)
    }
  }

  /** A fold that is refused must not leave a rebuilt archive behind. */
  function mayFold(isWanted: (view: View) => boolean): boolean {
    const view = live.refresh()
    const isTroubled = [...view.parts.all()].some(({ state }) => state === "unreadable" || state === "broken")
    return isWanted(view) && !isTroubled
  }

  /** A manifest of this process may name them, or one of another process that went on from it. */
  async function removeUnused(made: readonly string[]): Promise<void> {
    if (made.length === 0) return
    const manifests = await readManifests(paths.graph)
    const used = [...archive.files(), ...manifests.flatMap((manifest) => manifest.archive)]
    for (const name of made.filter((each) => !used.some(({ file }) => file === each)))
      await unlink(join(paths.archive, name)).catch(() => {}) // It was never written.
  }

  function foldNow(isWanted: (view: View) => boolean, rebuilt?: RebuiltArchive): Promise<FoldReport> {
    return ordered.run(async () => {
      await prepare()
      return writer.locked(async () => {
        // Another process may have folded while this one waited for the lock.
        if (!isWanted(await live.settled())) return { folded: false, note: "not worth it yet" }
        if ((await writer.writePending()) === "again") return "again"
        const view = live.refresh()
        const now = source.now()
        await saveOrphans(paths, health().problems, now)
        await live.metrics().fold().catch(onError)
        const token = source.newId().slice(0, 8)
        return fold({ view, paths, archive, leaving, now, token, append, archiveMems, rebuilt })
      })
    })
  }

  async function rebuild(made: string[]): Promise<RebuiltArchive> {
    await prepare()
    const token = source.newId().slice(0, 8)
    const rebuilt = await runInSlices(rebuildArchive(live.refresh(), paths, archive, token, made))
    for (const { file } of rebuilt.files) await syncFileAside(join(paths.archive, file))
    for (const folder of [paths.archive, paths.graph]) await syncFolderAside(folder)
    return rebuilt
  }

  /** Those that are still as the archive has them. If it does not count, they stay where they are until the next fold. */
  async function archiveMems(mems: readonly Mem[]): Promise<void> {
    for (let n = 0; n < mems.length; n += OPS_PER_LINE) {
      const { state, seq, clock } = live.refresh()
      const ops = mems
        .slice(n, n + OPS_PER_LINE)
        .filter((mem) => state.mem.get(mem.id) === mem)
        .map(({ id }): Op => ({ op: "archive", kind: "mem", id }))
      if (ops.length === 0) continue
      const by = { tool: "archive", session: null, agent: null }
      if ((await writer.putNext(by, ops, { seq, clock })) === "again") return
    }
  }

  /** After a bulk write, more mems have to leave the hot set than one fold moves. Others write in between. */
  async function foldAll(isWanted: (view: View) => boolean): Promise<FoldReport> {
    const first = await foldWhen(isWanted)
    for (let last = first; last.isUnfinished; ) last = await foldWhen(() => true)
    return first
  }

  function foldIfLong(): void {
    const isLong = (view: View) => bytesSinceFold(view) >= foldAfterBytes
    if (folding !== undefined || !isLong(live.last())) return
    folding = foldAll(isLong)
      .then(() => {}, onError)
      .finally(() => {
        folding = undefined
      })
  }

  function health(): Health {
    const { problems } = live.read()
    const view = live.last()
    const edited = [...view.parts.all()].filter(({ state }) => state === "edited")
    return {
      problems,
      unlisted: view.unlisted,
      edited: edited.map(({ file }) => `graph/parts/${file}`),
      unfolded: { entries: entriesSinceFold(view), bytes: bytesSinceFold(view) },
      lockAgeMs: lockAge(paths, source.now()),
      format: readFormat(paths).format,
    }
  }

  function backwards(options?: BackwardsOptions): Generator<Entry | undefined, void, void> {
    return logBackwards(live.refresh(), paths, options)
  }

  return {
    ready: live.ready,
    read: live.read,
    write: (by, build) => told("write to the graph", () => write(by, build)),
    append: (by, build) => told("write to the graph", () => appendOp(by, build)),
    undo: (entryId, by) => told("undo the entry", () => undo(entryId, by)),
    merge: (incoming, options) => told("write to the graph", () => merge(incoming, options)),
    clone: () => told("write to the graph", cloneOf),
    knownClone: () => readCloneName(paths),
    renameClone: () => told("write to the graph", renameClone),
    syncMark: () => readSyncMark(paths),
    setSyncMark: (mark) => told("note how far the sync came", async () => writeSyncMark(paths, mark)),
    log: (part = {}) => told("read the log", () => runInSlices(logPart(live.refresh(), paths, part))),
    asOf: (time) => told("read the log", () => stateAsOf(time)),
    archive,
    index: openIndexFiles(paths, source, prepare, () => isClosed),
    fold: (when = "now") =>
      told("fold the graph", () =>
        foldAll((view) => when === "now" || isWorthIt(view) || archive.problems().length > 0),
      ),
    repair: () =>
      told("repair the graph", async () => {
        await runInSlices(archive.check())
        return foldWhen(() => true)
      }),
    health,
    compareWithLog: () =>
      told("read the log", () => runInSlices(compareWithLog(live.refresh(), paths, archive))),
    isThere,
    async close() {
      await Promise.all([folding, ordered.idle(), writer.idle()])
      isClosed = true
      await Promise.all([closeAppender(), live.close()])
    },
  }
}

/** Every fold begins a file of the log: in a small graph it waits for a share of it, in a large one for some length. */
function isWorthIt(view: View): boolean {
  const records = kinds.reduce((sum, kind) => sum + view.state[kind].size, 0)
  return bytesSinceFold(view) >= Math.min(IDLE_FOLD_BYTES, (records * BYTES_PER_RECORD) / 8)
}

const FOLD_AFTER_BYTES = 1 << 20
// A line is parsed in one go, by every process that follows the log.
const OPS_PER_LINE = 250
const IDLE_FOLD_BYTES = 1 << 16
// About.
const BYTES_PER_RECORD = 500
