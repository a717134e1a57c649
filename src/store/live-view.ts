import { quarantined } from "../graph/problem.ts"
import { counted } from "../shared/amounts.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import type { Archive } from "./archive/archive.ts"
import { createEditWatch } from "./edits.ts"
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
  let loading: Promise<void> | undefined
  let settling: Pausing<void> | undefined

  function use(view: View): { view: View; metrics: Metrics } {
    void loaded?.metrics.close()
    settling = undefined
    loaded = { view, metrics: openMetrics(paths.state, view.state.metrics) }
    return loaded
  }

  function current(): { view: View; metrics: Metrics } {
    return loaded ?? use(runToEnd(loadView(paths, archive)))
  }

  function reload(): View {
    return use(runToEnd(loadView(paths, archive))).view
  }

  /** The view, with everything that was written since. */
  function refresh(): View {
    try {
      return follow()
    } catch (error) {
      throw explainSystemError(error, "read the graph", paths.graph)
    }
  }

  function follow(): View {
    const { view, metrics } = current()
    try {
      runToEnd(followLog(view, paths))
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      // What the new file holds is what there is: git may have put it there.
      const fresh = reload()
      noteLost(fresh, view)
      return fresh
    }
    settleALittle(view)
    if (watchEdits(view).mustReload) return reload()
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

  return {
    refresh,
    /** The view with all done that changes by others call for. */
    async settled(): Promise<View> {
      refresh()
      for (let under = settling; under !== undefined; under = settling) {
        await runInSlices(under)
        // A reader may have finished it, and begun another.
        if (settling === under) settling = undefined
      }
      return refresh()
    },
    /** Loads without holding up the event loop, if nothing is loaded yet. */
    async ready(): Promise<void> {
      if (loaded !== undefined) return
      loading ??= runInSlices(loadView(paths, archive)).then((view) => {
        // Somebody may have read meanwhile, and loaded it in one go.
        if (loaded === undefined) use(view)
      })
      await loading.finally(() => {
        loading = undefined
      })
    },
    /** The newest state, or the last one that could be read. Never throws. */
    read(): Reading {
      try {
        const view = follow()
        return { state: view.state, problems: [...view.problems, ...view.late.values()] }
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
    },
    async close(): Promise<void> {
      await loaded?.metrics.close()
    },
  }
}

/** Entries that were read before, and are not in the log any more. */
function noteLost(view: View, before: View): void {
  const lost = [...before.applied].filter(
    ([id, segment]) => segment > view.base.through && !view.applied.has(id),
  )
  const [, segment] = lost[0] ?? []
  if (segment === undefined) return
  const reason = `${counted(lost.length, "entry", "entries")} read before are not in it any more`
  note(view, quarantined("lost_entries", logName(segment), reason))
}

// Reading happens in the middle of a turn.
const SETTLE_MS = 4

export type LiveView = ReturnType<typeof openLiveView>
