import type { Hive } from "../hive/hive.ts"
import type { CodeFactsLookup } from "../project/codemap/code-facts.ts"
import type { Log } from "../store/files/log-file.ts"

export interface CodeMapRefresh {
  /** These files may have changed: the map is refreshed soon, in the background. */
  wanted: (paths: readonly string[]) => void
  /** At the first message of this process: refreshes an existing map. */
  begin: () => void
  look: CodeFactsLookup
  close: () => void
}

/**
 * Keeps the code map fresh while a host runs: shortly after writes it reads the written files, and once it is quiet
 * the whole project, which also saves the map. It makes a map only after a write, with a hive and a parser.
 */
export function codeMapRefresh({ hive, log }: { hive: () => Promise<Hive>; log: Log }): CodeMapRefresh {
  let look: CodeFactsLookup | undefined
  let timer: NodeJS.Timeout | undefined
  let isAtWork = false
  let isClosed = false
  let mayMake = false
  const written = new Set<string>()

  /** Without paths: everything. */
  async function renew(paths?: readonly string[]): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    // Loaded with the first change, not with the plugin.
    const { codeMapOf, hasParser, codeFactsFor } = await import("../project/codemap/answers.ts")
    const map = codeMapOf(opened)
    if (!map.hasFile() && !(mayMake && hasParser(opened.dir))) return
    const renewed = await (paths === undefined ? map.refresh() : map.refreshFiles(paths))
    look = codeFactsFor(renewed, await map.graphOf(renewed))
  }

  function soon(ms: number, job: () => void): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(job, ms)
    timer.unref()
  }

  function start(paths?: readonly string[]): void {
    isAtWork = true
    renew(paths)
      .catch((error: unknown) => log("error", "the code map could not be renewed", error))
      .finally(() => {
        isAtWork = false
        // A write during a refresh may be missed by it.
        if (written.size > 0) soon(SOON_MS, lookAtWritten)
        else if (paths !== undefined) soon(QUIET_MS, start)
      })
  }

  function lookAtWritten(): void {
    const paths = [...written]
    written.clear()
    start(paths)
  }

  return {
    wanted(paths) {
      mayMake = true
      const isFirst = written.size === 0
      for (const path of paths) written.add(path)
      if (isFirst && !isAtWork) soon(SOON_MS, lookAtWritten)
    },
    begin() {
      if (!isAtWork && written.size === 0) soon(SOON_MS, start)
    },
    look: (path) => look?.(path),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

// Several files are often written in a row.
const SOON_MS = 150
// A map that is behind on disk only has to read those files again.
const QUIET_MS = 2000
