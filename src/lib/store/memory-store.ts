import type { Author, Entry } from "../../schemas/journal.ts"
import { HiveError } from "../../shared/error.ts"
import type { Source } from "../../shared/ids.ts"
import { applyOp, emptyState } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import { undoEntry } from "../graph/undo.ts"
import { checkCommutes, makeEntry } from "./entries.ts"
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
    read: () => ({ state, version: entries.length, problems: [] }),
    write: async (by, build) => commit(by, build),
    append: async (by, build) => commit(by, build, {}, true),
    async undo(entryId, by) {
      const undone = findEntry(entries, entryId)
      const { entry } = commit(by, (tx) => undoEntry(tx, undone), { undoes: undone.id })
      return entry as Entry
    },
    log: () => [...entries],
    asOf: (time) => replay(entries.filter((entry) => Date.parse(entry.at) <= time)),
    archived: () => new Map(),
    fold: async () => ({ folded: false, note: "nothing to fold in memory" }),
    health: () => ({ problems: [], journal: { entries: 0, bytes: 0 }, lockAgeMs: undefined, format: FORMAT }),
    async close() {
      isClosed = true
    },
  }
}

/** The entry with this id, or with an id that starts so, if only one does. */
export function findEntry(entries: Entry[], id: string): Entry {
  const exact = entries.filter((entry) => entry.id === id)
  const found =
    exact.length > 0 ? exact : entries.filter((entry) => id.length >= 4 && entry.id.startsWith(id))
  if (found.length === 1 && found[0] !== undefined) {
    const undone = entries.find((entry) => entry.undoes === found[0]?.id)
    if (undone === undefined) return found[0]
    throw new HiveError({
      code: "conflict",
      what: `The entry ${id} was undone already.`,
      why: `The entry ${undone.id} did that.`,
      use_instead: `Undo ${undone.id} to bring it back.`,
      evidence: `${undone.id} undoes ${found[0].id}`,
    })
  }
  throw new HiveError({
    code: "not_found",
    what: found.length === 0 ? `There is no entry ${id}.` : `"${id}" could be ${found.length} entries.`,
    why: "An entry is named by its id, or by the first characters of it that are enough.",
    use_instead: "Take an id from `hivemind log`.",
    evidence: found.map((entry) => entry.id).join(", ") || "no match",
  })
}

export function closedStore(): HiveError {
  return new HiveError({
    code: "closed",
    what: "Nothing was written.",
    why: "This store has been closed.",
    use_instead: "Open it again.",
    evidence: "close() was called",
  })
}
