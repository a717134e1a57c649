import { isInForce } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import { addOp, inLog, isAddOf, isMeasure, type Op } from "../schemas/op.ts"
import type { Source } from "../shared/ids.ts"
import { createQueue } from "../shared/queue.ts"
import { runInSlices } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { entriesOfAWrite, opsOfALine } from "./batches.ts"
import { editsAgainstLog } from "./edits.ts"
import { checkCommutes, HAND_EDIT, makeEntry, REPAIR, SYNC } from "./entries.ts"
import { neverCounted, unconfirmed } from "./errors.ts"
import type { HivePaths } from "./files/layout.ts"
import type { LiveView } from "./live-view.ts"
import { takeLock } from "./lock.ts"
import type { Append, Appended } from "./log/appender.ts"
import { entryLine } from "./log/line.ts"
import { conflictsIn, type MergePlan, markNewest } from "./merge.ts"
import type { MergeOptions, MergeReport, Written } from "./store.ts"
import type { View } from "./view.ts"

export interface WriterInput {
  paths: HivePaths
  source: Source
  archive: Archive
  live: LiveView
  append: Append
  /** The name of this clone, once it is known. */
  writer: () => string
  /** The git branch that new records are made on. */
  branch: () => string | null
  /** Told of errors that no caller waits for. */
  onError: (error: unknown) => void
}

/** Writes entries, and says of each whether it counts: what was written is read back, as every other process reads it. */
export function createWriter({ paths, source, archive, live, append, writer, branch, onError }: WriterInput) {
  const appends = createQueue()
  let pending: { entry: Entry; done: (error?: unknown) => void }[] = []

  /** Without the lock. `prepare` runs only where there is something to write. */
  async function appendChanges<T>(
    by: Author,
    build: (tx: Transaction) => T,
    prepare: () => Promise<void>,
  ): Promise<Written<T>> {
    const { ops, result } = draftOps(live.read().state, archive.has, build, branch())
    checkCommutes(ops)
    if (ops.length === 0) return { entry: null, result }
    await prepare()
    const measured = measureOf(by, ops)
    const changes = ops.filter(inLog)
    if (changes.length === 0) {
      await measure(measured)
      return { entry: null, result }
    }
    const place = { writer: writer(), clock: live.refresh("log").clock + 1 }
    const entry = makeEntry(source, by, changes, place)
    await new Promise<void>((resolve, reject) => {
      pending.push({ entry, done: (error) => (error === undefined ? resolve() : reject(error)) })
      if (pending.length === 1) void appends.run(flush)
    })
    await measureBeside(measured)
    return { entry, result }
  }

  /** Appends that came in while the disk was busy share one write and one sync. */
  async function flush(): Promise<void> {
    let batch = pending
    pending = []
    for (let attempt = 0; batch.length > 0 && attempt < MAX_ATTEMPTS; attempt++) {
      const outcome = await put(batch.map(({ entry }) => entry))
      batch = batch.filter(({ entry, done }) => {
        const error = outcome(entry)
        if (error === "again") return true
        done(error)
        return false
      })
    }
    for (const { done } of batch) done(neverCounted(MAX_ATTEMPTS))
  }

  /** Writes entries; then tells of each: it counts (undefined), it has to be tried again, or the error. */
  async function put(entries: readonly Entry[]): Promise<(entry: Entry) => unknown> {
    let appended: Appended
    try {
      const { segment } = live.refresh("log").position
      appended = await append(
        segment,
        entries.map((entry) => entryLine(entry, segment)),
      )
    } catch (error) {
      return () => error
    }
    let view: View
    try {
      view = live.refresh("log")
    } catch (error) {
      return () => unconfirmed("it could not be read back", error)
    }
    return ({ id }) => {
      if (!view.applied.has(id)) return appended.state === "failed" ? appended.error : "again"
      return appended.state === "synced"
        ? undefined
        : unconfirmed("the disk did not confirm it", appended.error)
    }
  }

  /** What was measured goes to a log of its own. Made before anything is written: what is not valid is refused whole. */
  function measureOf(by: Author, ops: readonly Op[]): Entry | undefined {
    const measured = ops.filter(isMeasure)
    if (measured.length === 0) return undefined
    return makeEntry(source, by, measured, { writer: writer(), clock: 0 })
  }

  async function measure(entry: Entry | undefined): Promise<void> {
    if (entry === undefined) return
    live.refresh()
    await live.metrics().append(entry)
  }

  /** What was measured beside an entry that counts: that entry is not refused because something was not counted. */
  async function measureBeside(entry: Entry | undefined): Promise<void> {
    await measure(entry).catch(onError)
  }

  /** Under the lock, on the newest state. */
  async function writeChanges<T>(
    by: Author,
    build: (tx: Transaction) => T,
    undoes: string | undefined,
  ): Promise<Written<T> | "again"> {
    if ((await writePending()) === "again") return "again"
    // What is written follows the very state that it was made on: if others come first, it does not count.
    const { state, seq, clock } = live.refresh()
    const { ops, result } = draftOps(state, archive.has, build, branch())
    const measured = measureOf(by, ops)
    const changes = markReturns(ops.filter(inLog))
    if (changes.length === 0) {
      await measure(measured)
      return { entry: null, result }
    }
    const entry = await putNext(by, changes, { seq, clock }, undoes)
    // What is tried again is counted once.
    if (entry === "again") return "again"
    await measureBeside(measured)
    return { entry, result }
  }

  /** Mems that come back from the archive. */
  function markReturns(ops: Op[]): Op[] {
    if (!ops.some((op) => isAddOf(op, "mem")) || archive.size() === 0) return ops
    const { get, close } = archive.lookups()
    try {
      return ops.map((op) =>
        isAddOf(op, "mem") && get(op.record.id) !== undefined ? addOp("mem", op.record, true) : op,
      )
    } finally {
      close()
    }
  }

  /** Writes the next ordered entry. It counts if nothing has come since that point of the log. */
  async function putNext(
    by: Author,
    ops: Op[],
    { seq, clock }: Pick<View, "seq" | "clock">,
    undoes?: string,
  ): Promise<Entry | "again"> {
    const place = { writer: writer(), seq: seq + 1, clock: clock + 1 }
    const entry = makeEntry(source, by, ops, undoes === undefined ? place : { ...place, undoes })
    const error = (await put([entry]))(entry)
    if (error === "again") return "again"
    if (error !== undefined) throw error
    return entry
  }

  /** What was mended while reading, and what was changed by hand, goes into the log once, so that it tells of it. */
  async function writePending(): Promise<"again" | undefined> {
    const view = await live.settled()
    view.edits.push(...(await runInSlices(editsAgainstLog(view, paths))))
    // Those that are in the log leave the list by themselves.
    if ((await putAll(HAND_EDIT, view, [...view.edits])) === "again") return "again"
    const { repairs } = view
    if (repairs.length === 0) return undefined
    // What somebody has changed since counts more.
    const inForce = repairs.filter((op) => isInForce(view.state, op))
    if ((await putAll(REPAIR, view, inForce)) === "again") return "again"
    view.repairs = view.repairs.slice(repairs.length)
    view.problems = view.problems.filter(({ code }) => code !== "repaired_link")
    return undefined
  }

  /** In lines of usual length: a person may have changed a thousand records. */
  async function putAll(by: Author, view: View, ops: readonly Op[]): Promise<"again" | undefined> {
    for (let done = 0; done < ops.length; ) {
      const taken = opsOfALine(ops.slice(done))
      if ((await putNext(by, taken, view)) === "again") return "again"
      done += taken.length
    }
    return undefined
  }

  /** Entries of other clones, as many as fit into a write, then what was settled. */
  async function writeMerged(
    plan: MergePlan,
    { isRestored = false }: MergeOptions,
  ): Promise<MergeReport | "again"> {
    const { brought, settled } = plan
    const { seq, clock } = live.refresh()
    const now = new Date(source.now()).toISOString()
    function* lines(): Generator<Entry> {
      let last = seq
      for (const entry of markNewest(plan, clock))
        yield { ...entry, seq: ++last, brought: isRestored ? entry.at : now }
    }
    for (const batch of entriesOfAWrite(lines())) {
      const outcome = await put(batch)
      for (const entry of batch) {
        const error = outcome(entry)
        if (error === "again") return "again"
        if (error !== undefined) throw error
      }
    }
    if ((await putAll(SYNC, live.refresh(), settled)) === "again") return "again"
    return { brought: brought.length, conflicts: conflictsIn(settled) }
  }

  /** Runs a job under the lock, again if another writer came first. */
  async function locked<T>(job: () => Promise<T | "again">): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const lock = await takeLock(paths)
      try {
        const result = await job()
        if (result !== "again") return result
      } finally {
        lock.release()
      }
    }
    throw neverCounted(MAX_ATTEMPTS)
  }

  return { appendChanges, writeChanges, writeMerged, putNext, writePending, locked, idle: appends.idle }
}

const MAX_ATTEMPTS = 5
