import type { Hive } from "../hive/hive.ts"
import type { CodeLook } from "../project/codemap/code-look.ts"
import type { Log } from "../store/files/log-file.ts"

export interface MapBetween {
  /** These files have changed, or may have: the map is looked at soon. Waited for by nobody. */
  wanted: (paths: readonly string[]) => void
  /** The first message of this process: a map that is there is looked at, none is made. */
  begin: () => void
  look: CodeLook
  /** No look begins from now on. */
  close: () => void
}

/**
 * Keeps the code map true while a host runs: a moment after the last of several writes it reads the files that were
 * written, and once it has become quiet it looks at the whole project, which also brings the map to the disk. Only where
 * there is a map, or a parser to make one with; in a project without a hive nothing is made.
 */
export function mapBetween({ hive, log }: { hive: () => Promise<Hive>; log: Log }): MapBetween {
  let look: CodeLook | undefined
  let timer: NodeJS.Timeout | undefined
  let isAtWork = false
  let isClosed = false
  let mayMake = false
  const written = new Set<string>()

  /** Undefined: at everything. */
  async function renew(paths?: readonly string[]): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    // Loaded after the first change of a file, not with the plugin.
    const { codeMapOf, hasParser, lookInto } = await import("../project/codemap/renew.ts")
    const map = codeMapOf(opened)
    if (!map.hasFile() && !(mayMake && hasParser(opened.dir))) return
    const renewed = await (paths === undefined ? map.refresh() : map.refreshFiles(paths))
    look = lookInto(renewed, await map.graphOf(renewed))
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
        // What is written during a look may be missed by it.
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

// Several files are often written one right after another.
const SOON_MS = 150
// An agent that goes on writing is not held up by it, and a map that is behind on the disk only has to read those files again.
const QUIET_MS = 2000
