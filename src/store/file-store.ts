import { join } from "node:path"
import { type GraphState, recordsOf } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import { replacedIn, undoEntry } from "../graph/undo.ts"
import { type Author, type Entry, isReturn } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { addOp, type Op } from "../schemas/op.ts"
import { kinds } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { createQueue } from "../shared/queue.ts"
import { runInSlices } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import { openArchive } from "./archive/archive.ts"
import { cloneName, readCloneName, readSyncMark, renewCloneName, writeSyncMark } from "./clone.ts"
import { compareWithLog } from "./compare.ts"
import { closedStore, nothingToUndo, REPAIR } from "./entries.ts"
import { existsSync, unlink } from "./files/hive-fs.ts"
import { createLayout, hivePaths } from "./files/layout.ts"
import { sweepTempFiles } from "./files/write-file.ts"
import { fold } from "./fold.ts"
import { ensureFormat, isReady, readFormat, refuseNewerFormat } from "./format.ts"
import { asOf, findEntry, logBackwards, logPart } from "./history.ts"
import { openIndexFiles } from "./index-files.ts"
import { openLiveView } from "./live-view.ts"
import { lockAge, underLock } from "./lock.ts"
import { openAppender } from "./log/appender.ts"
import { planMerge } from "./merge.ts"
import { noteBefore } from "./older-tool.ts"
import { saveOrphans } from "./orphans.ts"
import { type RebuiltArchive, rebuildArchive, syncArchive } from "./rebuild-archive.ts"
import { lostRecords } from "./replay.ts"
import { archiveWatch, readManifests } from "./snapshot/manifest.ts"
import type { FoldReport, Health, MergeOptions, MergeReport, Store, Written } from "./store.ts"
import { bytesSinceFold, entriesSinceFold, logPosition, type View } from "./view.ts"
import { createWriter } from "./writer.ts"

export interface FileStoreOptions {
  source: Source
  leaving?: (state: GraphState, now: number) => Mem[]
  branch?: () => string | null
  foldAfterBytes?: number
  onBackgroundError?: (error: unknown) => void
}

/** Opens the store in `.hivemind/`. Opening changes no file; the first write creates the folders. */
export function openFileStore(projectDir: string, options: FileStoreOptions): Store {
  const { source, leaving = () => [], foldAfterBytes = FOLD_AFTER_BYTES } = options
  const paths = hivePaths(projectDir)
  const isDropped = (id: string) => live.last().droppedMems.has(id)
  const archive = openArchive(paths.archive, archiveWatch(paths.graph), isDropped)
  const live = openLiveView(paths, archive)
  const appender = openAppender(paths.log)
  let clone = ""
  const onError = (error: unknown) => options.onBackgroundError?.(error)
  const writer = createWriter({
    paths,
    source,
    archive,
    live,
    append: appender.append,
    writer: () => clone,
    branch: options.branch ?? (() => null),
    onError,
  })
  // Ordered writes and folds run one after another. Appends do not wait for them.
  const ordered = createQueue()
  let isClosed = false
  let folding: Promise<void> | undefined

  async function prepare(): Promise<void> {
    if (isClosed) throw closedStore()
    // Checked before every write, because a newer version of HiveMind may have upgraded the files meanwhile.
    refuseNewerFormat(paths)
    if (clone !== "" && existsSync(paths.log)) return
    noteBefore(projectDir)
    const made = await createLayout(projectDir)
    // Only the very first write to a hive takes the lock here.
    if (!isReady(paths)) await underLock(paths, () => ensureFormat(paths, source))
    // A clone that lost its log needs a new name: under the old one, other clones would not send its entries back.
    clone = made.includes(paths.log) ? renewCloneName(paths, source) : cloneName(paths, source)
    sweepTempFiles(paths, source.now())
    await live.ready()
  }

  async function explained<T>(doing: string, job: () => Promise<T>): Promise<T> {
    try {
      await live.ready()
      return await job()
    } catch (error) {
      throw explainSystemError(error, doing, paths.root)
    }
  }

  async function append<T>(by: Author, build: (tx: Transaction) => T): Promise<Written<T>> {
    const written = await writer.appendChanges(by, build, prepare)
    foldIfLong()
    return written
  }

  function write<T>(by: Author, build: (tx: Transaction) => T, undoes?: string): Promise<Written<T>> {
    return ordered.run(async () => {
      if (!existsSync(paths.graph)) {
        // Without a hive, a transaction without changes must not create the lock's folder.
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

  /** Returns the first segment whose fold may have archived mems that link to the entry's records; 0 for any. */
  function firstFoldAfter({ id, undoes, brought }: Entry): number {
    const segment = undoes === undefined && brought === undefined ? live.last().applied.get(id) : undefined
    return segment ?? 0
  }

  /** Refuses an undo if an archived mem links to a record of the entry. The write checks only mems in the graph. */
  async function refuseIfLinked(undone: Entry, since: number): Promise<void> {
    const added = new Set(
      undone.ops.flatMap((op) => (op.op === "add" && !isReturn(undone, op) ? op.record.id : [])),
    )
    const { state } = live.refresh()
    const found = await runInSlices(archive.linkingTo(added, since))
    const linking = found.find(({ id }) => !state.mem.has(id) && !added.has(id))
    if (linking !== undefined)
      throw new HiveError({
        code: "conflict",
        what: `The entry ${undone.id} cannot be undone.`,
        why: "A mem in the archive links to a record that this entry added.",
        use_instead: "Purge the added mem, or abandon the added plan instead.",
        evidence: `mem ${linking.id}`,
      })
  }

  function stateAsOf(time: number): Promise<GraphState> {
    const view = live.refresh()
    const { get, close } = archive.lookups()
    // The second lookup finds a mem that was archived meanwhile, in a newer file.
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
      // The rebuild reads the whole log, so it runs without the lock.
      const rebuilt = archive.isDamaged() && mayFold(isWanted) ? await rebuild(made) : undefined
      return await foldNow(isWanted, rebuilt)
    } finally {
      await removeUnused(made)
    }
  }

  async function rebuild(made: string[]): Promise<RebuiltArchive> {
    await prepare()
    const token = source.newId().slice(0, 8)
    const rebuilt = await runInSlices(rebuildArchive(live.refresh(), paths, archive, token, made))
    await syncArchive(paths, rebuilt.files)
    return rebuilt
  }

  /** True if a fold can succeed. Checked before the archive is rebuilt, because otherwise the new files would be useless. */
  function mayFold(isWanted: (view: View) => boolean): boolean {
    const view = live.refresh()
    return isWanted(view) && ![...view.parts.all()].some(({ state }) => state === "unreadable")
  }

  async function removeUnused(made: readonly string[]): Promise<void> {
    if (made.length === 0) return
    const manifests = await readManifests(paths.graph)
    const used = [...archive.files(), ...manifests.flatMap((manifest) => manifest.archive)]
    for (const name of made.filter((each) => !used.some(({ file }) => file === each)))
      await unlink(join(paths.archive, name)).catch(() => {}) // The file was never written.
  }

  function foldNow(isWanted: (view: View) => boolean, rebuilt?: RebuiltArchive): Promise<FoldReport> {
    return ordered.run(async () => {
      await prepare()
      return writer.locked(async () => {
        // Another process may have folded during the wait for the lock.
        if (!isWanted(await live.settled())) return { folded: false, note: "too little has changed" }
        if ((await writer.writePending()) === "again") return "again"
        const view = live.refresh()
        const now = source.now()
        saveOrphans(paths, health().problems, now)
        await live.metrics().fold().catch(onError)
        const token = source.newId().slice(0, 8)
        const { append } = appender
        return fold({ view, paths, archive, leaving, now, token, append, archiveMems, rebuilt })
      })
    })
  }

  /** Writes lost records to the log again, so that other running processes get them too. */
  function bringBackLost(): Promise<number> {
    return ordered.run(async () => {
      await prepare()
      return writer.locked(async () => {
        if ((await writer.writePending()) === "again") return "again"
        const view = live.refresh()
        const lost = await runInSlices(lostRecords(view, paths, logPosition(view)))
        const { state } = live.refresh("log")
        // Another process may have written some of these records during the replay.
        const missing = lost.filter(({ kind, record }) => !recordsOf(state, kind).has(record.id))
        const ops = missing.map(({ kind, record }) => addOp(kind, record as never))
        return (await writer.putAll(REPAIR, view, ops)) ?? ops.length
      })
    })
  }

  /** Archives the mems that a fold has chosen. Mems changed since, or after another write, wait for the next fold. */
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

  /** Repeats folds, because one fold archives a limited number of mems. Other writes can run between two folds. */
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
    return {
      problems,
      unlisted: view.unlisted,
      unfolded: { entries: entriesSinceFold(view), bytes: bytesSinceFold(view) },
      lockAgeMs: lockAge(paths, source.now()),
      format: readFormat(paths).format,
    }
  }

  function backwards(): Generator<Entry | undefined, void, void> {
    return logBackwards(live.refresh(), paths)
  }

  return {
    ready: live.ready,
    read: live.read,
    write: (by, build) => explained("write to the graph", () => write(by, build)),
    append: (by, build) => explained("write to the graph", () => append(by, build)),
    undo: (entryId, by) => explained("undo the entry", () => undo(entryId, by)),
    merge: (incoming, options) => explained("write to the graph", () => merge(incoming, options)),
    clone: () => explained("write to the graph", () => prepare().then(() => clone)),
    knownClone: () => readCloneName(paths),
    renameClone: (name) =>
      explained("write to the graph", async () => {
        await prepare()
        clone = renewCloneName(paths, source, name)
      }),
    syncMark: () => readSyncMark(paths),
    setSyncMark: (mark) => explained("save the sync's progress", async () => writeSyncMark(paths, mark)),
    log: (part = {}) => explained("read the log", () => runInSlices(logPart(live.refresh(), paths, part))),
    asOf: (time) => explained("read the log", () => stateAsOf(time)),
    archive,
    index: openIndexFiles(paths, source, prepare, () => isClosed),
    fold: (when = "now") =>
      explained("tidy the files of the graph", () =>
        foldAll((view) => when === "now" || isWorthIt(view) || archive.problems().length > 0),
      ),
    repair: () =>
      explained("repair the graph", async () => {
        await runInSlices(archive.check())
        const count = await bringBackLost()
        const report = await foldWhen(() => true)
        if (count === 0) return report
        const note = `${counted(count, "record", "records")} brought back from the log; ${report.note}`
        return { ...report, note }
      }),
    health,
    compareWithLog: () =>
      explained("read the log", () => runInSlices(compareWithLog(live.refresh(), paths, archive))),
    isThere: () => existsSync(paths.graph),
    async close() {
      await Promise.all([folding, ordered.idle(), writer.idle()])
      isClosed = true
      await Promise.all([appender.close(), live.close()])
    },
  }
}

/** True if a fold is worth its cost: the log has grown by an eighth of the graph, or by 64 KB if that is less. */
function isWorthIt(view: View): boolean {
  const records = kinds.reduce((sum, kind) => sum + view.state[kind].size, 0)
  return bytesSinceFold(view) >= Math.min(IDLE_FOLD_BYTES, (records * BYTES_PER_RECORD) / 8)
}

const FOLD_AFTER_BYTES = 1 << 20
// Limits the length of a log line, because readers parse a line without a pause.
const OPS_PER_LINE = 250
const IDLE_FOLD_BYTES = 1 << 16
const BYTES_PER_RECORD = 500
