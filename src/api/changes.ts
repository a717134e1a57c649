import { setTimeout as sleep } from "node:timers/promises"
import type { Hive } from "../hive/hive.ts"
import type { Entry } from "../schemas/entry.ts"

export interface ChangesOptions {
  /** Id of the last known entry. Default: only entries from now on. */
  after?: string
  signal?: AbortSignal
}

/** New log entries of any process, until the signal. */
export function changesOf(hive: Hive, { after, signal }: ChangesOptions): AsyncGenerator<Entry, void> {
  return follow(hive, after === undefined ? newestEntry(hive) : Promise.resolve(after), signal)
}

/** By looking at the log again and again: not every file system reports changes, and the folder may not exist yet. */
async function* follow(
  hive: Hive,
  begin: Promise<string | undefined>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void> {
  let last = await begin
  while (signal?.aborted !== true) {
    const entries = await hive.store.log(last === undefined ? undefined : { after: last })
    for (const entry of entries) {
      last = entry.id
      yield entry
    }
    if (entries.length === 0) await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {}) // The signal ends it.
  }
}

async function newestEntry(hive: Hive): Promise<string | undefined> {
  return (await hive.store.log({ limit: 1 })).at(-1)?.id
}

const LOOK_AGAIN_MS = 250
