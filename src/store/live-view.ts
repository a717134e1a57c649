import { join, relative } from "node:path"
import { guardChains } from "../graph/chain.ts"
import { quarantined } from "../graph/problem.ts"
import { makeGroups, recordsOf } from "../graph/state.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { fileVersion } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import type { Archive } from "./archive/archive.ts"
import { existsSync, listTree, readFileSync, refuseLink, statSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { ReplacedLog } from "./log/follower.ts"
import { segmentNumbers } from "./log/segments.ts"
import { type Metrics, openMetrics } from "./metrics.ts"
import { lostFromArchive } from "./rebuild-archive.ts"
import { lostRecords } from "./replay.ts"
import { type Manifest, manifestNumbers, newestManifest } from "./snapshot/manifest.ts"
import { asWritten, createParts, newPart, type Part, readPartFile } from "./snapshot/parts.ts"
import type { Reading } from "./store.ts"
import { emptyView, followLog, forgetFolded, logName, note, restoreTakenOut, type View } from "./view.ts"

/** The graph in memory, kept up to date with writes of this and other processes. It takes no lock. */
export function openLiveView(paths: HivePaths, archive: Archive) {
  let loaded: { view: View; metrics: Metrics } | undefined
  let loading: Loading | undefined
  let settling: Pausing<void> | undefined

  /** Starts loading the graph, or returns the load in progress. A synchronous caller then runs the remaining steps. */
  function load(): Loading {
    if (loading !== undefined) return loading
    const begun: Loading = { steps: steps(), inSlices: undefined }
    loading = begun
    return begun

    function* steps(): Pausing<void> {
      try {
        const before = loaded
        const view = yield* loadView(paths, archive)
        void before?.metrics.close()
        settling = undefined
        loaded = { view, metrics: openMetrics(paths.state, view.state.metrics) }
        // A hive without a clone name was deleted on purpose, so missing entries are not reported.
        if (before !== undefined && existsSync(paths.clone)) noteLost(view, before.view)
      } finally {
        if (loading === begun) loading = undefined
      }
    }
  }

  async function loadInSlices(): Promise<void> {
    const begun = load()
    begun.inSlices ??= runInSlices(begun.steps)
    await begun.inSlices
  }

  function loadNow(): { view: View; metrics: Metrics } {
    runToEnd(load().steps)
    if (loaded === undefined) throw new Error("the graph was loaded, and is not there")
    return loaded
  }

  /** Reads new log entries and returns the view. With `log`, it does not switch to newer folds of other processes. */
  function refresh(what: "all" | "log" = "all"): View {
    try {
      return what === "log" ? followedLog() : follow()
    } catch (error) {
      throw explainSystemError(error, "read the graph", paths.graph)
    }
  }

  function followedLog(): View {
    const { view } = loaded ?? loadNow()
    try {
      runToEnd(followLog(view, paths))
      return view
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      // The log's file was replaced, perhaps by git: the graph is loaded from the new one.
      return loadNow().view
    }
  }

  function follow(): View {
    followedLog()
    const { view, metrics } = loaded ?? loadNow()
    settleALittle(view)
    // The reload is not urgent, so it runs in slices. The present view stays in use until the new one is loaded.
    if (hasMendedPart(view, paths)) void loadInSlices().catch(() => {})
    try {
      runToEnd(metrics.follow())
    } catch {
      // Counters are only derived data, so the counts that were read last stay in use.
    }
    return view
  }

  function settleALittle(view: View): void {
    const until = performance.now() + SETTLE_MS
    settling ??= settle(view, paths, archive, () => loading !== undefined || loaded?.view !== view)
    do {
      if (!settling.next().done) continue
      settling = undefined
      return
    } while (performance.now() < until)
  }

  /** Loads or updates the graph without blocking the event loop. The next `read` reports errors. */
  async function ready(): Promise<void> {
    try {
      if (loaded === undefined || loading !== undefined) await loadInSlices()
      else await runInSlices(followLog(loaded.view, paths))
    } catch (error) {
      if (error instanceof ReplacedLog) await loadInSlices().catch(() => {})
    }
  }

  return {
    refresh,
    async settled(): Promise<View> {
      await ready()
      refresh()
      if (loading !== undefined) await loadInSlices()
      for (let under = settling; under !== undefined; under = settling) {
        await runInSlices(under)
        // During the pause, another reader may have finished this work and begun the next.
        if (settling === under) settling = undefined
      }
      return refresh()
    },
    ready,
    /** Returns the newest state; if reading fails, the last known one and a problem. Never throws. */
    read(): Reading {
      try {
        const view = follow()
        const counts = loaded?.metrics.problems() ?? []
        const problems = [...view.problems, ...view.overtaken.values(), ...archive.problems(), ...counts]
        return { state: view.state, problems }
      } catch (error) {
        // Does not throw, because the caller is in the middle of a turn.
        const { state, problems } = loaded?.view ?? emptyView()
        const reason = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
        return { state, problems: [...problems, quarantined("unreadable", "graph/", reason)] }
      }
    },
    last: (): View => loaded?.view ?? emptyView(),
    metrics: (): Metrics => (loaded ?? loadNow()).metrics,
    async close(): Promise<void> {
      await loaded?.metrics.close()
    },
  }
}

type Loading = { steps: Pausing<void>; inSlices: Promise<void> | undefined }

/** Reports entries that this process has read earlier and that are now missing from the log. */
function noteLost(view: View, before: View): void {
  const lost = [...before.applied].filter(
    ([id, segment]) => segment > view.base.through && !view.applied.has(id),
  )
  const [, segment] = lost[0] ?? []
  // If the graph was empty, its log may have been removed on purpose.
  if (segment === undefined || kinds.every((kind) => before.state[kind].size === 0)) return
  const reason = `${counted(lost.length, "entry", "entries")} that HiveMind read before are no longer in it`
  note(view, quarantined("lost_entries", logName(segment), reason))
}

function hasMendedPart({ parts, isFolding }: View, paths: HivePaths): boolean {
  for (const { file, state, version } of isFolding ? [] : parts.all()) {
    if (state === "as written" || file === "") continue
    const path = join(paths.parts, file)
    if (state === "damaged" ? fileVersion(path) !== version : canRead(path)) return true
  }
  return false
}

function canRead(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false // The part still cannot be read.
  }
}

/**
 * Switches to newer folds of other processes, and checks links. Not while a new view is being loaded, because both
 * views use the same archive object.
 */
function* settle(view: View, paths: HivePaths, archive: Archive, isReplaced: () => boolean): Pausing<void> {
  // Every fold seals a segment, so without a new seal there is no new fold.
  const isSealed = view.position.segment > view.base.through + 1
  for (const _ of isSealed && !view.isFolding ? adoptNewest(view, paths, archive) : []) {
    yield
    if (isReplaced()) return
  }
  while (view.mustCheckLinks) yield* checkLinks(view, archive)
}

// The time limit for one read, because reads happen in the middle of a turn.
const SETTLE_MS = 4

export type LiveView = ReturnType<typeof openLiveView>

/** Loads the parts that the newest manifest names, then the log after them. Takes no lock. */
function* loadView(paths: HivePaths, archive: Archive): Pausing<View> {
  for (const folder of [paths.graph, paths.log, paths.parts]) requireFolder(folder)
  const { manifest, unusable } = newestManifest(paths.graph)
  const view = emptyView(manifest)
  noteLinks(view, paths)
  archive.use(manifest.archive)
  for (const { file, reason, isUnreadable } of unusable)
    note(view, quarantined(isUnreadable ? "unreadable" : "broken_file", `graph/${file}`, reason))
  const damaged: { part: Part; records: AnyRecord[] }[] = []
  for (const named of manifest.parts) {
    const { part, records } = readPart(view, paths, named)
    if (part.state !== "as written") damaged.push({ part, records })
    else for (const record of records) recordsOf(view.state, part.kind).set(record.id, record)
    view.parts.add(part)
    yield
  }
  yield* replaceDamaged(view, paths, damaged)
  try {
    yield* followLog(view, paths)
  } catch {
    // A segment cannot be read. The records of the parts are shown, and the next `read` reports the error.
    view.mustCheckLinks = true
    return view
  }
  const unarchived = yield* lostFromArchive(view, archive, manifest.archive)
  if (unarchived.length + view.unkeptMems > 0) archive.hold(unarchived, unarchived.length + view.unkeptMems)
  noteStraySegments(view, paths)
  yield* checkLinks(view, archive)
  yield* makeGroups(view.state)
  return view
}

/** Reports segments after the log's end. The one next to the end may just have been started by another process. */
function noteStraySegments(view: View, paths: HivePaths): void {
  const reason = "the log ends before this file, so its entries are ignored"
  for (const number of segmentNumbers(paths.log))
    if (number > view.position.segment + 1) note(view, quarantined("stray_segment", logName(number), reason))
}

function noteLinks(view: View, paths: HivePaths): void {
  const reason = "it is a link; HiveMind neither reads it nor writes to it"
  for (const { path, isLink } of listTree(paths.root))
    if (isLink) note(view, quarantined("link", relative(paths.root, path), reason))
}

/** Throws if a file has the place of this folder. Without the check, the graph would seem empty. */
function requireFolder(folder: string): void {
  refuseLink(folder, "read")
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) throw new Error(`ENOTDIR: not a directory, ${folder}`)
}

function readPart(view: View, paths: HivePaths, { file, kind, sum }: Manifest["parts"][number]) {
  const part = newPart(kind as Kind, Number(file.split(".")[1]), file, sum)
  const { records, problem } = readPartFile(part, join(paths.parts, file))
  if (problem !== undefined) note(view, problem)
  if (part.state === "as written") for (const { id } of records) part.ids.add(id)
  return { part, records }
}

/** Restores the records of damaged parts from the log. If the log lacks a segment, uses what can be read of the parts too. */
function* replaceDamaged(
  view: View,
  paths: HivePaths,
  damaged: readonly { part: Part; records: readonly AnyRecord[] }[],
): Pausing<void> {
  if (damaged.length === 0) return
  const found = yield* lostRecords(view, paths, view.base, [...new Set(damaged.map(({ part }) => part.kind))])
  const isLogWhole =
    segmentNumbers(paths.log).filter((each) => each <= view.base.through).length === view.base.through
  if (!isLogWhole)
    for (const { part, records } of damaged)
      found.push(...records.map((record) => ({ kind: part.kind, record })))
  for (const { kind, record } of found) {
    const records = recordsOf(view.state, kind)
    if (records.has(record.id)) continue
    records.set(record.id, record)
    view.unplaced.push({ kind, id: record.id })
  }
}

/** Switches to another process's fold. Returns the next manifest number; undefined if the log is not read so far. */
export function* adoptNewest(view: View, paths: HivePaths, archive: Archive): Pausing<number | undefined> {
  const newest = manifestNumbers(paths.graph).at(-1)
  if (newest === view.base.number) return newest + 1
  const { manifest, next } = newestManifest(paths.graph)
  // Manifests newer than this view's were lost. That is no loss of data, because this view has all their records.
  if (manifest.number <= view.base.number) return Math.max(next, view.base.number + 1)
  if (manifest.through >= view.position.segment) return undefined
  const known = new Map(Array.from(view.parts.all(), (part) => [part.file, part]))
  const parts = createParts()
  for (const named of manifest.parts) {
    const part = known.get(named.file)
    parts.add(part === undefined ? readPart(view, paths, named).part : asWritten(part))
    yield
  }
  // During a pause, another caller has switched to the same fold.
  if (manifest.number <= view.base.number) return undefined
  view.parts = parts
  archive.use(manifest.archive)
  forgetFolded(view, manifest)
  // Changes after the fold are not in its parts, so they are assigned again.
  view.dirty.clear()
  view.unplaced = [...view.changed.values()].flatMap((changed) => [...changed.values()])
  yield* placeUnnamed(view)
  return next
}

/** Adds records that are in no readable part to `unplaced`, so that the next fold writes them. */
function* placeUnnamed(view: View): Pausing<void> {
  const damaged = [...view.parts.all()].filter(({ state }) => state !== "as written")
  for (const kind of new Set(damaged.map((part) => part.kind))) {
    for (const id of [...recordsOf(view.state, kind).keys()]) {
      if (view.parts.find(kind, id) === undefined) view.unplaced.push({ kind, id })
      yield
    }
  }
}

/** Checks all links. Skipped while a part cannot be read, because the missing record may be in it. */
function* checkLinks(view: View, archive: Archive): Pausing<void> {
  view.mustCheckLinks = false
  if ([...view.parts.all()].some(({ state }) => state === "unreadable")) return
  restoreTakenOut(view)
  view.problems = view.problems.filter(({ code }) => code !== "broken_link")
  view.missing.clear()
  const found = yield* guardChains(view.state, {
    // This view may know of a deletion that the archive does not know yet.
    isArchived: (id) => !view.droppedMems.has(id) && archive.has(id),
    // A missing mem may be in a damaged line of the archive.
    mayReturn: () => archive.problems().length > 0,
    onMissing: (id) => view.missing.add(id),
    onTakenOut: (kind, record) => view.takenOut[kind].set(record.id, record),
  })
  view.repairs.push(...found.repairs)
  for (const problem of found.problems) {
    const { kind, id } = problem
    const part = kind === null || id === null ? undefined : view.parts.find(kind, id)
    note(view, part === undefined ? problem : { ...problem, file: `graph/parts/${part.file}` })
  }
}
