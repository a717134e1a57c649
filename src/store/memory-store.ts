import { applyOp, emptyState } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import { undoEntry } from "../graph/undo.ts"
import type { Author, Entry } from "../schemas/journal.ts"
import type { Source } from "../shared/ids.ts"
import { checkCommutes, makeEntry } from "./entries.ts"
import { closedStore, findEntry, nothingToUndo } from "./find-entry.ts"
import { replay } from "./history.ts"
import { FORMAT } from "./manifest.ts"
import type { Store } from "./store.ts"

/** A store that is gone with the process: for tests, dry runs and callers who want no files. */
export function openMemoryStore(source: Source): Store {
  const state = emptyState()
  const entries: Entry[] = []
  let isClosed = false

  function commit<T>(
    by: Author,
    build: (tx: Transaction) => T,
    more: { undoes?: string } = {},
    commutes = false,
  ) {
    if (isClosed) throw closedStore()
    const { ops, result } = draftOps(state, () => false, build, more.undoes !== undefined)
    if (commutes) checkCommutes(ops)
    if (ops.length === 0) return { entry: null, result }
    const entry = makeEntry(source, by, ops, more)
    for (const op of entry.ops) applyOp(state, op)
    entries.push(entry)
    return { entry, result }
  }

  return {
    read: () => ({ state, problems: [] }),
    write: async (by, build) => commit(by, build),
    append: async (by, build) => commit(by, build, {}, true),
    async undo(entryId, by) {
      const undone = findEntry(entries, entryId)
      const { entry } = commit(by, (tx) => undoEntry(tx, undone), { undoes: undone.id })
      if (entry === null) throw nothingToUndo(undone)
      return entry
    },
    log: () => [...entries],
    asOf: (time) => replay(entries.filter((entry) => Date.parse(entry.at) <= time)),
    archived: () => new Map(),
    fold: async () => ({ folded: false, note: "nothing to fold in memory" }),
    health: () => ({
      problems: [],
      edited: [],
      journal: { entries: 0, bytes: 0 },
      lockAgeMs: undefined,
      format: FORMAT,
    }),
    isThere: () => true,
    async close() {
      isClosed = true
    },
  }
}
