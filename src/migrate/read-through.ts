import { statSync } from "node:fs"
import { emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import type { Hive } from "../hive/hive.ts"
import type { Author } from "../schemas/entry.ts"
import { kinds } from "../schemas/records.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { hivePaths } from "../store/files/layout.ts"
import type { Store, Written } from "../store/store.ts"
import { isMemFile, type LegacyFile } from "./legacy/context.ts"
import { beginMigration, MIGRATE, migrate, readUnread, unreadFiles } from "./migrate.ts"
import { mayBePending } from "./open-with-legacy.ts"
import type { SourceRecord } from "./records/report.ts"
import { copyInMemory, writeRecords } from "./records/write-records.ts"

/** Old files that are read into memory. Files of mems are left out where they are large. */
export function findReadableFiles(home: string): LegacyFile[] {
  try {
    const files = unreadFiles(home)
    const bytes = files.filter(isMemFile).reduce((sum, { path }) => sum + statSync(path).size, 0)
    return bytes <= MAX_MEM_BYTES ? files : files.filter((file) => !isMemFile(file))
  } catch {
    return [] // The migration meets the same error and reports it. A turn goes on with the graph.
  }
}

interface LegacyRecords {
  /** Grows while the files are read. */
  state: GraphState
  /** Settles when all are read. Never rejects. */
  read: Promise<void>
  stop: () => void
}

/** Reads old files as the migration does, into memory. */
export function readIntoMemory(hive: Hive, files: readonly LegacyFile[]): LegacyRecords {
  // Old records may refer to records of the graph.
  const store = copyInMemory(hive)
  let isStopped = false
  async function* readSlowly(): AsyncGenerator<SourceRecord, void, void> {
    for await (const each of readUnread(hive.home, files)) {
      if (isStopped) return
      await runInSlices(pause())
      yield each
    }
  }
  const done = () => {} // The migration reports unusable records.
  const read = writeRecords({ ...hive, store }, readSlowly(), { by: MIGRATE, dryRun: true, into: store })
  return {
    state: store.read().state,
    read: read.then(done, done),
    stop() {
      isStopped = true
    },
  }
}

/** A store that shows old records beside those of the graph. The first write that changes a record migrates the files before it. */
export function readThroughStore(hive: Hive, legacy: LegacyRecords): Store {
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

  async function writeThrough<T>(
    write: Store["write"],
    by: Author,
    build: (tx: Transaction) => T,
  ): Promise<Written<T>> {
    const draft = () => draftOps(read().state, graph.archive.has, build)
    // Every message is counted, and that must not wait for files.
    if (isGraphOnly() || isCounting(draft)) return write(by, build)
    await legacy.read
    const { ops, result } = draft()
    if (ops.length === 0) return { entry: null, result }
    // Marked first: an automatic migration of an empty graph would not follow otherwise.
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
    // The index on disk has the graph's mems only.
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
    return false // It may need records that are not read yet.
  }
}

/** The graph's records, and those that only old files have. Made anew when one of the two has changed. */
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

/** Whether the migration is done or undone. Its file is read only when it has changed. */
function migrationWatch(hive: Hive): () => boolean {
  const { migration } = hivePaths(hive.home)
  let seen: number | undefined
  let isDone = false
  return () => {
    const changed = changedAt(migration)
    if (!isDone && changed !== undefined && changed !== seen) {
      seen = changed
      isDone = !mayBePending(hive)
    }
    return isDone
  }
}

function changedAt(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs
  } catch {
    return undefined // Not begun, or its folder cannot be read.
  }
}

function* pause(): Pausing<void> {
  yield
}

// More than that is in the graph soon enough, and would take long to read twice.
const MAX_MEM_BYTES = 1 << 20
