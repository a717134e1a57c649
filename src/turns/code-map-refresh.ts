import type { Hive } from "../hive/hive.ts"
import type { CodeFactsLookup } from "../schemas/codemap.ts"
import type { Log } from "../store/files/log-file.ts"

export interface CodeMapRefresh {
  /** Files may have changed: the map is refreshed in the background. */
  wanted: () => void
  /** At the first message of this process: refreshes an existing map. */
  begin: () => void
  look: CodeFactsLookup
  close: () => void
}

/** Keeps the code map fresh while a host runs. It makes a map only after a write, with a hive and a parser. */
export function codeMapRefresh({ hive, log }: { hive: () => Promise<Hive>; log: Log }): CodeMapRefresh {
  let look: CodeFactsLookup | undefined
  let timer: NodeJS.Timeout | undefined
  let isAtWork = false
  let isClosed = false
  let mayMake = false
  /** Something was written since the refresh under way began. */
  let isBehind = false

  async function renew(): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    // Loaded with the first change, not with the plugin.
    const { codeMapOf, hasParser, codeFactsFor } = await import("../project/codemap/answers.ts")
    const map = codeMapOf(opened)
    if (!map.hasFile() && !(mayMake && hasParser(opened.dir))) return
    const renewed = await map.refresh()
    look = codeFactsFor(renewed, await map.graphOf(renewed))
  }

  function soon(): void {
    isBehind = true
    if (isClosed || isAtWork || timer !== undefined) return
    timer = setTimeout(start, SOON_MS)
    timer.unref()
  }

  function start(): void {
    timer = undefined
    isAtWork = true
    isBehind = false
    renew()
      .catch((error: unknown) => log("error", "the code map could not be renewed", error))
      .finally(() => {
        isAtWork = false
        if (isBehind) soon()
      })
  }

  return {
    wanted() {
      mayMake = true
      soon()
    },
    begin: soon,
    look: (path) => look?.(path),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

// Several files are often written in a row.
const SOON_MS = 300
