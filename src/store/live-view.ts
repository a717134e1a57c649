import { join } from "node:path"
import { quarantined } from "../graph/problem.ts"
import { kinds } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import type { Archive } from "./archive/archive.ts"
import { existsSync, readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import { adoptNewest, checkLinks, loadView } from "./load.ts"
import { ReplacedLog } from "./log/follower.ts"
import { type Metrics, openMetrics } from "./metrics.ts"
import { signatureOf } from "./snapshot/parts.ts"
import type { Reading } from "./store.ts"
import { emptyView, logName, note, type View } from "./view.ts"

/** The graph in memory, kept up to date with writes of this and other processes. Never locks. */
export function openLiveView(paths: HivePaths, archive: Archive) {
  let loaded: { view: View; metrics: Metrics } | undefined
  let loading: Loading | undefined
  let settling: Pausing<void> | undefined

  /** Loads the graph, or continues the loading that is under way: a caller that cannot wait finishes it in one go. */
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
        // A clone without a name: the whole hive was emptied or deleted.
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

  /** The view with everything that was written since. `log`: without folds of other processes. */
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
      // The content of the new file counts: git may have put it there.
      return loadNow().view
    }
  }

  function follow(): View {
    followedLog()
    const { view, metrics } = loaded ?? loadNow()
    settleALittle(view)
    // Loading again is not urgent: it runs in slices, and the view stays in use until then. The next reading reports errors.
    if (hasMendedPart(view, paths)) void loadInSlices().catch(() => {})
    try {
      runToEnd(metrics.follow())
    } catch {
      // Counts are derived: if they cannot be read, the last ones stay in use.
    }
    return view
  }

  /** In a small graph, this settles everything. */
  function settleALittle(view: View): void {
    const until = performance.now() + SETTLE_MS
    settling ??= settle(view, paths, archive, () => loading !== undefined || loaded?.view !== view)
    do {
      if (!settling.next().done) continue
      settling = undefined
      return
    } while (performance.now() < until)
  }

  /** Loads, or catches up with the log, without blocking the event loop. The next reading reports errors. */
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
    /** The view, with all folds of other processes taken over. */
    async settled(): Promise<View> {
      await ready()
      refresh()
      // A file can be read that could not be read before.
      if (loading !== undefined) await loadInSlices()
      for (let under = settling; under !== undefined; under = settling) {
        await runInSlices(under)
        // A reader may have finished it, and begun another.
        if (settling === under) settling = undefined
      }
      return refresh()
    },
    ready,
    /** The newest state, or the last one that could be read. Never throws. */
    read(): Reading {
      try {
        const view = follow()
        const counts = loaded?.metrics.problems() ?? []
        const problems = [...view.problems, ...view.overtaken.values(), ...archive.problems(), ...counts]
        return { state: view.state, problems }
      } catch (error) {
        // Unreadable folder, vanished disk: the caller is in the middle of a turn, so it gets the last state.
        const { state, problems } = loaded?.view ?? emptyView()
        const reason = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
        return { state, problems: [...problems, quarantined("unreadable", "graph/", reason)] }
      }
    },
    /** The view as it was last read. */
    last: (): View => loaded?.view ?? emptyView(),
    metrics: (): Metrics => (loaded ?? loadNow()).metrics,
    async close(): Promise<void> {
      await loaded?.metrics.close()
    },
  }
}

interface Loading {
  steps: Pausing<void>
  /** Set while a caller waits for it in slices. */
  inSlices: Promise<void> | undefined
}

/** Notes entries that were read before and are not in the log any more. */
function noteLost(view: View, before: View): void {
  const lost = [...before.applied].filter(
    ([id, segment]) => segment > view.base.through && !view.applied.has(id),
  )
  const [, segment] = lost[0] ?? []
  // If the graph was empty, the hive may have been removed on purpose.
  if (segment === undefined || kinds.every((kind) => before.state[kind].size === 0)) return
  const reason = `${counted(lost.length, "entry", "entries")} read before are not in it any more`
  note(view, quarantined("lost_entries", logName(segment), reason))
}

/** True if a file that was damaged or could not be read has changed since. */
function hasMendedPart({ parts, isFolding }: View, paths: HivePaths): boolean {
  for (const { file, state, signature } of isFolding ? [] : parts.all()) {
    if (state === "as written" || file === "") continue
    const path = join(paths.parts, file)
    if (state === "damaged" ? signatureOf(path) !== signature : canRead(path)) return true
  }
  return false
}

function canRead(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false // Still as it was when the graph was loaded.
  }
}

/**
 * Takes over a fold of another process, and checks links where a change may have broken or repaired one. Readers do a
 * little of it at a time, writers all of it. A view that is being replaced takes over nothing: the new one may be past that
 * fold, and both have the same archive.
 */
function* settle(view: View, paths: HivePaths, archive: Archive, isReplaced: () => boolean): Pausing<void> {
  // Every fold seals a segment first.
  const isSealed = view.position.segment > view.base.through + 1
  for (const _ of isSealed && !view.isFolding ? adoptNewest(view, paths, archive) : []) {
    yield
    if (isReplaced()) return
  }
  while (view.mustCheckLinks) yield* checkLinks(view, archive)
}

// Reading happens in the middle of a turn.
const SETTLE_MS = 4

export type LiveView = ReturnType<typeof openLiveView>
