import { statSync } from "node:fs"
import { emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import type { Hive } from "../hive/hive.ts"
import type { Author } from "../schemas/entry.ts"
import { kinds } from "../schemas/records.ts"
import { statOrUndefined } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { hivePaths } from "../store/files/layout.ts"
import type { Store } from "../store/store.ts"
import { isMemFile, type LegacyFile } from "./legacy/context.ts"
import { beginMigration, MIGRATE, migrate, readUnread, unreadFiles } from "./migrate.ts"
import { mayBePending } from "./open-with-legacy.ts"
import type { SourceRecord } from "./records/report.ts"
import { copyInMemory, writeRecords } from "./records/write-records.ts"

/** The old files to read before they are migrated. If their mems are too large, those are left out. */
export function findReadableFiles(home: string): LegacyFile[] {
  try {
    const files = unreadFiles(home)
    const bytes = files.filter(isMemFile).reduce((sum, { path }) => sum + statSync(path).size, 0)
    return bytes <= MAX_MEM_BYTES ? files : files.filter((file) => !isMemFile(file))
  } catch {
    return [] // The migration will report the same error.
  }
}

/** Reads old files into a copy of the graph in memory. `read` resolves when all are read, and never rejects. */
export function readIntoMemory(hive: Hive, files: readonly LegacyFile[]) {
  // Old records may refer to records of the graph, so both are in one copy.
  const store = copyInMemory(hive)
  let isStopped = false
  async function* readSlowly(): AsyncGenerator<SourceRecord, void, void> {
    for await (const each of readUnread(hive.home, files)) {
      if (isStopped) return
      await runInSlices(pause())
      yield each
    }
  }
  const done = () => {} // Errors are ignored here, because the migration reports them.
  const read = writeRecords({ ...hive, store }, readSlowly(), { by: MIGRATE, dryRun: true, into: store })
  const stop = () => {
    isStopped = true
  }
  return { state: store.read().state, read: read.then(done, done), stop }
}

/** Returns a store that also has the old records. The first write that changes a record migrates the files. */
export function readThroughStore(hive: Hive, legacy: ReturnType<typeof readIntoMemory>): Store {
  const { store: graph } = hive
  const isMigrated = migrationWatch(hive)
  const union = openUnion(legacy.state)
  let migrating: Promise<unknown> | undefined

  function isGraphOnly(): boolean {
    if (!isMigrated()) return false
    legacy.stop()
    return true
  }

  function read(): ReturnType<Store["read"]> {
    const reading = graph.read()
    return isGraphOnly() ? reading : { ...reading, state: union(reading.state) }
  }

  async function writeThrough<T>(write: Store["write"], by: Author, build: (tx: Transaction) => T) {
    const draft = () => draftOps(read().state, graph.archive.has, build)
    // Counters are written with every message, which must not wait for files.
    if (isGraphOnly() || isCounting(draft)) return write(by, build)
    await legacy.read
    const { ops, result } = draft()
    if (ops.length === 0) return { entry: null, result }
    // Without this mark, an automatic migration only runs while the graph is empty, so an interrupted one would not continue.
    if (!isGraphOnly()) beginMigration(hive)
    migrating ??= migrate(hive).catch((error: unknown) => {
      migrating = undefined
      throw error
    })
    await migrating
    return write(by, build)
  }

  return {
    ...graph,
    // The index on disk does not contain the old mems.
    get index() {
      return isGraphOnly() ? graph.index : undefined
    },
    read,
    write: (by, build) => writeThrough(graph.write, by, build),
    append: (by, build) => writeThrough(graph.append, by, build),
    graph,
    async close() {
      legacy.stop()
      await graph.close()
    },
  }
}

function isCounting(draft: () => { ops: readonly object[] }): boolean {
  try {
    const { ops } = draft()
    return ops.length > 0 && ops.every((op) => !("kind" in op))
  } catch {
    return false // The write may need old records that are not read yet.
  }
}

function openUnion(legacy: GraphState): (graph: GraphState) => GraphState {
  let union: GraphState | undefined
  let followed: GraphState | undefined
  const follow = (state: GraphState) => {
    for (const kind of kinds)
      recordsOf(state, kind).watch(() => {
        union = undefined
      })
  }
  follow(legacy)
  return (graph) => {
    if (graph !== followed) {
      follow(graph)
      union = undefined
    }
    followed = graph
    if (union !== undefined) return union
    union = emptyState()
    for (const state of [legacy, graph])
      for (const kind of kinds)
        for (const record of recordsOf(state, kind).values()) recordsOf(union, kind).set(record.id, record)
    return union
  }
}

/** Returns a function that tells whether the migration is done. It reads the migration's file only after changes of it. */
function migrationWatch(hive: Hive): () => boolean {
  const { migration } = hivePaths(hive.home)
  let seen: number | undefined
  let isDone = false
  return () => {
    const changed = statOrUndefined(migration)?.mtimeMs
    if (!isDone && changed !== undefined && changed !== seen) {
      seen = changed
      isDone = !mayBePending(hive)
    }
    return isDone
  }
}

function* pause(): Pausing<void> {
  yield
}

// Larger files take too long to read twice. Their mems appear after the migration.
const MAX_MEM_BYTES = 1 << 20
