import { applyOp, emptyState } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import { undoEntry } from "../graph/undo.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import { inLog } from "../schemas/op.ts"
import type { Source } from "../shared/ids.ts"
import { runToEnd } from "../shared/slices.ts"
import { asOf } from "./as-of.ts"
import { checkCommutes, makeEntry } from "./entries.ts"
import { closedStore, nothingToUndo } from "./errors.ts"
import { findEntry } from "./find-entry.ts"
import type { LogPart, Store } from "./store.ts"
import { FORMAT } from "./upgrade/format.ts"

/** A store that is gone with the process: for tests, dry runs and callers who want no files. */
export function openMemoryStore(source: Source): Store {
  const state = emptyState()
  const entries: Entry[] = []
  let isClosed = false

  function commit<T>(by: Author, build: (tx: Transaction) => T, commutes: boolean, undoes?: string) {
    if (isClosed) throw closedStore()
    const { ops, result } = draftOps(state, () => false, build, undoes !== undefined)
    if (commutes) checkCommutes(ops)
    for (const op of ops) applyOp(state, op)
    const logged = ops.filter(inLog)
    if (logged.length === 0) return { entry: null, result }
    const place = { writer: "memory", clock: entries.length + 1, ...(undoes !== undefined && { undoes }) }
    const entry = makeEntry(source, by, logged, place)
    entries.push(entry)
    return { entry, result }
  }

  function log({ since = "", naming, limit = entries.length }: LogPart = {}): Entry[] {
    const found = entries.filter(
      (entry) =>
        entry.at >= since &&
        (naming === undefined || JSON.stringify(entry).includes(JSON.stringify(naming).slice(1, -1))),
    )
    return limit === 0 ? [] : found.slice(-limit)
  }

  return {
    ready: async () => {},
    read: () => ({ state, problems: [] }),
    write: async (by, build) => commit(by, build, false),
    append: async (by, build) => commit(by, build, true),
    async undo(entryId, by) {
      const undone = runToEnd(findEntry(entries.toReversed(), entryId))
      const { entry } = commit(by, (tx) => undoEntry(tx, undone), false, undone.id)
      if (entry === null) throw nothingToUndo(undone)
      return entry
    },
    log: async (part) => log(part),
    asOf: async (time) => runToEnd(asOf(state, entries.toReversed(), time, () => undefined)),
    archive: {
      size: () => 0,
      has: () => false,
      get: () => undefined,
      startingWith: () => [],
      naming: async () => [],
    },
    fold: async () => ({ folded: false, note: "nothing to fold in memory" }),
    health: () => ({
      problems: [],
      unlisted: 0,
      edited: [],
      unfolded: { entries: 0, bytes: 0 },
      lockAgeMs: undefined,
      format: FORMAT,
    }),
    compareWithLog: async () => [],
    isThere: () => true,
    async close() {
      isClosed = true
    },
  }
}
