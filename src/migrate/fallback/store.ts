import { statSync } from "node:fs"
import type { Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Author } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Op } from "../../schemas/op.ts"
import { runInSlices, runToEnd } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import type { Store, Written } from "../../store/store.ts"
import { migrationOf } from "../pending.ts"
import { MIGRATE } from "../take-over/migrate.ts"
import { beginMigration } from "../take-over/under-way.ts"
import type { OldGraph } from "./old-graph.ts"
import { isOnlyCounting, type OldOnly, rehearse } from "./rehearse.ts"
import { openUnion } from "./union.ts"

/**
 * The store of a hive whose old files are still being taken over: whoever reads sees what they hold beside the graph. A write
 * that needs an old record has it put into the graph first, as the migration would. Once that says that it is over, this is
 * the store itself.
 */
export function storeWithOld(hive: Hive, old: OldGraph): Store {
  const { home, store: own } = hive
  const union = openUnion(old.state)
  const isOver = overWatch(home)
  let isRead = false
  void old.wanted.then(() => {
    isRead = true
  })
  let isInGraph = false
  const landedFirst = new Set<string>()

  /** Does everybody read the graph alone by now? */
  function isPlain(): boolean {
    if (isInGraph || isOver()) {
      if (!isInGraph) old.stop()
      isInGraph = true
    }
    return isInGraph
  }

  function read(): ReturnType<Store["read"]> {
    const reading = own.read()
    if (isPlain()) return reading
    const state = runToEnd(union.catchUp(reading.state))
    if (isRead && union.isSame()) {
      isInGraph = true
      return reading
    }
    return { ...reading, state }
  }

  async function landFirst(batch: readonly OldOnly[]): Promise<void> {
    await own.write(MIGRATE, (tx) => {
      tx.putBack()
      // The kind is that of the record, which TypeScript does not see for all kinds at once.
      for (const { kind, record } of batch)
        if (tx.get(kind, record.id) === undefined) tx.add(kind, record as never)
    })
    for (const { record } of batch) landedFirst.add(record.id)
  }

  /** Puts into the graph what the write needs of the old files, and then it. */
  async function writeAfter<T>(
    write: Store["write"],
    by: Author,
    build: (tx: Transaction) => T,
  ): Promise<Written<T>> {
    // Every message is counted, and none waits for files to be read.
    if (isPlain() || isOnlyCounting(own.read().state, own.archive.has, build)) return write(by, build)
    // What it finds decides what it writes.
    await old.head
    await runInSlices(union.catchUp(own.read().state))
    if (isPlain()) return write(by, build)
    const stage = { state: read().state, isOldOnly: union.isOldOnly, isArchived: own.archive.has }
    const { needed, ops, result } = rehearse(stage, build)
    if (ops.length === 0) return { entry: null, result }
    if (ops.some(isOfRecord)) {
      // With records in the graph, nothing else would tell that the old files are to be taken over.
      beginMigration(hive)
      for (let from = 0; from < needed.length; from += BATCH_RECORDS)
        await landFirst(needed.slice(from, from + BATCH_RECORDS))
    }
    return write(by, build)
  }

  async function bring(mems: readonly Mem[]): Promise<void> {
    if (isOver()) return
    const { mem: here } = own.read().state
    const missing = mems.filter(({ id }) => !here.has(id) && !own.archive.has(id))
    if (missing.length === 0) return
    beginMigration(hive)
    await writeAfter(own.write, MIGRATE, (tx) => {
      tx.putBack()
      for (const mem of missing) if (tx.get("mem", mem.id) === undefined) tx.add("mem", mem)
    })
    for (const { id } of missing) landedFirst.add(id)
  }

  /** Mems of the files that are neither in the graph nor shown beside it, about. */
  function unreadCount(): number {
    if (isOver() || old.hasAllMems()) return 0
    const shown = isPlain() ? own.read().state.mem.size : union.memCount()
    return Math.max(0, old.memCount() - shown - own.archive.size())
  }

  return {
    ...own,
    // It holds what is in the graph, and here more than that is read.
    index: undefined,
    async ready() {
      await own.ready()
      if (!isPlain()) await runInSlices(union.catchUp(own.read().state))
    },
    read,
    write: (by, build) => writeAfter(own.write, by, build),
    append: (by, build) => writeAfter(own.append, by, build),
    older: {
      graph: own,
      mems: () => (isOver() || old.hasAllMems() ? undefined : old.mems()),
      unreadCount,
      bring,
      landedFirst,
    },
    async close() {
      old.stop()
      await own.close()
    },
  }
}

/** Tells whether a migration has come to its end; its file is read only when it has changed. */
function overWatch(home: string): () => boolean {
  const { migration } = hivePaths(home)
  let seen = ""
  let isOver = false
  return () => {
    if (isOver) return true
    const sign = changeSign(migration)
    if (sign !== seen) {
      seen = sign
      isOver = migrationOf(home) === "over"
    }
    return isOver
  }
}

function changeSign(path: string): string {
  try {
    const { mtimeMs, ino, size } = statSync(path)
    return `${mtimeMs} ${ino} ${size}`
  } catch {
    return "" // Not begun, or not for us to see.
  }
}

function isOfRecord(op: Op): boolean {
  return "kind" in op
}

const BATCH_RECORDS = 50
