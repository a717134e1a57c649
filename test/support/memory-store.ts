import { nextClock } from "../../src/graph/merge/order.ts"
import { applyOp, emptyState } from "../../src/graph/state.ts"
import { draftOps, type Transaction } from "../../src/graph/transaction.ts"
import { undoEntry } from "../../src/graph/undo.ts"
import { type Author, arrivalOf, type Entry } from "../../src/schemas/entry.ts"
import { inLog, type Op } from "../../src/schemas/op.ts"
import type { Source } from "../../src/shared/ids.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import type { SyncMark } from "../../src/store/clone.ts"
import { checkCommutes, closedStore, makeEntry, nothingToUndo, SYNC } from "../../src/store/entries.ts"
import { FORMAT } from "../../src/store/format.ts"
import { asOf, findEntry, isOf } from "../../src/store/history.ts"
import { conflictsIn, markNewest, planMerge } from "../../src/store/merge.ts"
import type { LogPart, MergeOptions, MergeReport, Store } from "../../src/store/store.ts"

/** A store without files, which is quick and has the same clock and ids in every run. */
export function openMemoryStore(source: Source, writer = "memory"): Store {
  const state = emptyState()
  const entries: Entry[] = []
  let clock = 0
  let seq = 0
  let isClosed = false
  let mark: SyncMark | undefined

  function commit<T>(by: Author, build: (tx: Transaction) => T, commutes: boolean, undoes?: string) {
    if (isClosed) throw closedStore()
    const { ops, result } = draftOps(state, () => false, build)
    if (commutes) checkCommutes(ops)
    for (const op of ops) applyOp(state, op)
    const logged = ops.filter(inLog)
    if (logged.length === 0) return { entry: null, result }
    return { entry: push(by, logged, commutes, undoes), result }
  }

  function push(by: Author, ops: Op[], commutes: boolean, undoes?: string): Entry {
    clock = nextClock(clock, source.now())
    const place = { writer, clock, ...(!commutes && { seq: ++seq }), ...(undoes !== undefined && { undoes }) }
    const entry = makeEntry(source, by, ops, place)
    entries.push(entry)
    return entry
  }

  function merge(incoming: readonly Entry[], { isRestored = false }: MergeOptions = {}): MergeReport {
    if (isClosed) throw closedStore()
    const newestFirst = entries.toReversed()
    const plan = runToEnd(planMerge({ state, newestFirst, incoming }))
    const now = new Date(source.now()).toISOString()
    const { brought, settled } = plan
    for (const entry of [...markNewest(plan, clock)]) {
      entries.push({ ...entry, brought: isRestored ? entry.at : now })
      clock = Math.max(clock, entry.clock)
      for (const op of entry.ops) applyOp(state, op)
    }
    for (const op of settled) applyOp(state, op)
    if (settled.length > 0) push(SYNC, settled, false)
    return { brought: brought.length, conflicts: conflictsIn(settled) }
  }

  function log(part: LogPart = {}): Entry[] {
    const { since = "", naming = "", tool = "", kinds, besides = [], isOwn = false } = part
    const { after, limit = entries.length } = part
    const from = entries.findIndex(({ id }) => id === after) + 1
    const isWanted = (entry: Entry) =>
      arrivalOf(entry) >= since &&
      !(isOwn && entry.brought !== undefined) &&
      entry.by.tool.startsWith(tool) &&
      isOf(entry, kinds) &&
      !besides.some((each) => entry.by.tool.startsWith(each)) &&
      JSON.stringify(entry).includes(JSON.stringify(naming).slice(1, -1))
    const found = entries.slice(from).filter(isWanted)
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
    merge: async (incoming, options) => merge(incoming, options),
    clone: async () => writer,
    knownClone: () => writer,
    async renameClone(name = source.newId().slice(0, 8)) {
      writer = name
    },
    syncMark: () => mark,
    async setSyncMark(next) {
      mark = next
    },
    log: async (part) => log(part),
    async asOf(time) {
      const newestFirst = () => entries.toReversed()
      return runToEnd(asOf(state, newestFirst, time, () => undefined))
    },
    archive: {
      size: () => 0,
      has: () => false,
      get: () => undefined,
      lookups: () => ({ get: () => undefined, close: () => {} }),
      startingWith: () => [],
      naming: async () => [],
      walk: () => [],
    },
    fold: async () => ({ folded: false, note: "nothing to fold in memory" }),
    repair: async () => ({ folded: false, note: "nothing to repair in memory" }),
    health: () => ({
      ...{ problems: [], unlisted: 0, edited: [], unfolded: { entries: 0, bytes: 0 } },
      ...{ lockAgeMs: undefined, format: FORMAT },
    }),
    compareWithLog: async () => [],
    isThere: () => true,
    async close() {
      isClosed = true
    },
  }
}
