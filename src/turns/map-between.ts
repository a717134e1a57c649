import type { Hive } from "../hive/hive.ts"
import type { CodeLook } from "../project/codemap/code-look.ts"
import type { Log } from "../store/files/log-file.ts"

export interface MapBetween {
  /** Files have changed, or may have: the map is looked at soon. Waited for by nobody. */
  wanted: () => void
  /** The first message of this process: a map that is there is looked at, none is made. */
  begin: () => void
  look: CodeLook
  /** No look begins from now on. */
  close: () => void
}

/**
 * Keeps the code map true while a host runs: a moment after the last of several writes it reads what has changed. Only
 * where there is a map, or a parser to make one with; in a project without a hive nothing is made.
 */
export function mapBetween({ hive, log }: { hive: () => Promise<Hive>; log: Log }): MapBetween {
  let look: CodeLook | undefined
  let timer: NodeJS.Timeout | undefined
  let isAtWork = false
  let isClosed = false
  let mayMake = false

  async function renew(): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    // Loaded after the first change of a file, not with the plugin.
    const { codeMapOf, hasParser, lookInto } = await import("../project/codemap/renew.ts")
    const map = codeMapOf(opened)
    if (!map.hasFile() && !(mayMake && hasParser(opened.dir))) return
    const renewed = await map.refresh()
    look = lookInto(renewed, await map.graphOf(renewed))
  }

  function soon(): void {
    if (isClosed || timer !== undefined) return
    timer = setTimeout(start, SOON_MS)
    timer.unref()
  }

  function start(): void {
    timer = undefined
    // What is written during a look may be missed by it.
    if (isAtWork) {
      soon()
      return
    }
    isAtWork = true
    renew()
      .catch((error: unknown) => log("error", "the code map could not be renewed", error))
      .finally(() => {
        isAtWork = false
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

// Several files are often written one right after another.
const SOON_MS = 150
