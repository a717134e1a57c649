import { type FSWatcher, watch } from "node:fs"
import type { Hive } from "../hive/hive.ts"
import type { Entry } from "../schemas/entry.ts"
import { hivePaths } from "../store/files/layout.ts"

export interface ChangesOptions {
  /** Id of the last known entry. Default: only entries from now on. */
  after?: string
  signal?: AbortSignal
}

/** New log entries of any process, until the signal. */
export function changesOf(hive: Hive, { after, signal }: ChangesOptions): AsyncGenerator<Entry, void> {
  return follow(hive, after === undefined ? newestEntry(hive) : Promise.resolve(after), signal)
}

async function* follow(
  hive: Hive,
  begin: Promise<string | undefined>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void> {
  let last = await begin
  while (signal?.aborted !== true) {
    // Watch before reading, so that nothing is missed.
    const news = newsIn(hive, signal)
    const entries = await hive.store.log(last === undefined ? undefined : { after: last })
    for (const entry of entries) {
      last = entry.id
      yield entry
    }
    if (entries.length === 0) await news.come
    news.stop()
  }
}

async function newestEntry(hive: Hive): Promise<string | undefined> {
  return (await hive.store.log({ limit: 1 })).at(-1)?.id
}

/** By file watcher and timer: not every file system reports changes, and the folder may not exist yet. */
function newsIn(hive: Hive, signal: AbortSignal | undefined): { come: Promise<void>; stop: () => void } {
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  const come = new Promise<void>((resolve) => {
    stop = () => {
      watcher?.close()
      clearTimeout(timer)
      signal?.removeEventListener("abort", stop)
      resolve()
    }
    timer = setTimeout(stop, LOOK_AGAIN_MS)
    signal?.addEventListener("abort", stop, { once: true })
    try {
      watcher = watch(hivePaths(hive.home).log, stop).on("error", stop)
    } catch {
      // Nothing to watch yet: the timer is enough.
    }
  })
  return { come, stop }
}

const LOOK_AGAIN_MS = 1000
