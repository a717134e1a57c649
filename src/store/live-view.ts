import { quarantined } from "../graph/problem.ts"
import { kinds } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import type { Archive } from "./archive/archive.ts"
import { createEditWatch } from "./edits.ts"
import { existsSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import { loadView } from "./load.ts"
import { ReplacedLog } from "./log/follower.ts"
import { type Metrics, openMetrics } from "./metrics.ts"
import { settle } from "./settle.ts"
import type { Reading } from "./store.ts"
import { emptyView, logName, note, type View } from "./view.ts"

/** The graph in memory, kept up with what this and other processes write. Never locks. */
export function openLiveView(paths: HivePaths, archive: Archive) {
  const watchEdits = createEditWatch(paths)
  let loaded: { view: View; metrics: Metrics } | undefined
  let loading: Loading | undefined
  let settling: Pausing<void> | undefined

  function use(view: View): void {
    void loaded?.metrics.close()
    settling = undefined
    loaded = { view, metrics: openMetrics(paths.state, view.state.metrics) }
  }

  /** Loads the graph anew, or goes on with that. Whoever needs it at once finishes what another has begun. */
  function load(): Loading {
    if (loading !== undefined) return loading
    const begun: Loading = { steps: steps(), inSlices: undefined }
    loading = begun
    return begun

    function* steps(): Pausing<void> {
      try {
        const before = loaded?.view
        const view = yield* loadView(paths, archive)
        if (loading !== begun) return
        use(view)
        // Where the clone has no name any more, the whole hive was emptied or deleted.
        if (before !== undefined && existsSync(paths.clone)) noteLost(view, before)
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

  function current(): { view: View; metrics: Metrics } {
    if (loaded === undefined) runToEnd(load().steps)
    return loaded ?? unloaded()
  }

  function reload(): View {
    runToEnd(load().steps)
    return current().view
  }

  /** The view, with everything that was written since. `log`: without a look at what people and other folds have changed. */
  function refresh(what: "all" | "log" = "all"): View {
    try {
      return what === "log" ? followedLog() : follow()
    } catch (error) {
      throw explainSystemError(error, "read the graph", paths.graph)
    }
  }

  /** The view with everything that the log says by now. */
  function followedLog(): View {
    const { view } = current()
    try {
      runToEnd(followLog(view, paths))
      return view
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      // What the new file holds is what there is: git may have put it there.
      return reload()
    }
  }

  function follow(): View {
    followedLog()
    const { view, metrics } = current()
    settleALittle(view)
    // What could not be read is not urgent any more: it comes with pauses, and what is known goes on until then.
    if (watchEdits(view).mustReload) void loadInSlices().catch(() => {}) // The next reading tells.
    if (view.isUnguarded) settleALittle(view)
    try {
      runToEnd(metrics.follow())
    } catch {
      // What was counted is derived: where it cannot be read, the graph goes on with what is known of it.
    }
    return view
  }

  /** In a small graph, all of it. */
  function settleALittle(view: View): void {
    const until = performance.now() + SETTLE_MS
    settling ??= settle(view, paths, archive)
    do {
      if (!settling.next().done) continue
      settling = undefined
      return
    } while (performance.now() < until)
  }

  /** Loads, or catches up with the log, without holding up the event loop. What goes wrong, the next reading tells. */
  async function ready(): Promise<void> {
    try {
      if (loaded === undefined || loading !== undefined) await loadInSlices()
      else await runInSlices(followLog(loaded.view, paths))
    } catch (error) {
      if (error instanceof ReplacedLog) await loadInSlices().catch(() => {}) // Told by the next reading too.
    }
  }

  return {
    refresh,
    /** The view with all done that changes by others call for. */
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
        const problems = [...view.problems, ...view.late.values(), ...archive.problems(), ...counts]
        return { state: view.state, problems }
      } catch (error) {
        // Unreadable folder, vanished disk: the caller is in the middle of a turn, so the last state goes on.
        const { state, problems } = loaded?.view ?? emptyView()
        const reason = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
        return { state, problems: [...problems, quarantined("unreadable", "graph/", reason)] }
      }
    },
    /** What was last read, without a look at the files. */
    last: (): View => loaded?.view ?? emptyView(),
    metrics: (): Metrics => current().metrics,
    /** The files were replaced: all is read anew. */
    forget(): void {
      void loaded?.metrics.close()
      loaded = undefined
      loading = undefined
    },
    async close(): Promise<void> {
      await loaded?.metrics.close()
    },
  }
}

interface Loading {
  steps: Pausing<void>
  /** Set while somebody waits for it with pauses. */
  inSlices: Promise<void> | undefined
}

/** Loading ends with a view or an error. */
function unloaded(): never {
  throw new Error("the graph was loaded, and is not there")
}

/** Entries that were read before, and are not in the log any more. */
function noteLost(view: View, before: View): void {
  const lost = [...before.applied].filter(
    ([id, segment]) => segment > view.base.through && !view.applied.has(id),
  )
  const [, segment] = lost[0] ?? []
  // Where nothing was left of what they said, the hive may have been taken away on purpose.
  if (segment === undefined || kinds.every((kind) => before.state[kind].size === 0)) return
  const reason = `${counted(lost.length, "entry", "entries")} read before are not in it any more`
  note(view, quarantined("lost_entries", logName(segment), reason))
}

// Reading happens in the middle of a turn.
const SETTLE_MS = 4

export type LiveView = ReturnType<typeof openLiveView>
