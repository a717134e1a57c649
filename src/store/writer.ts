import { nextClock } from "../graph/merge/order.ts"
import { isInForce } from "../graph/state.ts"
import { draftOps, type Transaction } from "../graph/transaction.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import { addOp, inLog, isAddOf, type Op } from "../schemas/op.ts"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { createQueue } from "../shared/queue.ts"
import type { Archive } from "./archive/archive.ts"
import { checkCommutes, inBatches, makeEntry, REPAIR, SYNC } from "./entries.ts"
import type { HivePaths } from "./files/layout.ts"
import type { LiveView } from "./live-view.ts"
import { underLock } from "./lock.ts"
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
  writer: () => string
  branch: () => string | null
  onError: (error: unknown) => void
}

/** Writes entries. A write succeeds once the entry was read back, so that all processes see it in the same way. */
export function createWriter({ paths, source, archive, live, append, writer, branch, onError }: WriterInput) {
  const appends = createQueue()
  let pending: { entry: Entry; done: (error?: unknown) => void }[] = []

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
    const place = { writer: writer(), clock: nextClock(live.refresh("log").clock, source.now()) }
    const entry = makeEntry(source, by, changes, place)
    await new Promise<void>((resolve, reject) => {
      pending.push({ entry, done: (error) => (error === undefined ? resolve() : reject(error)) })
      if (pending.length === 1) void appends.run(flush)
    })
    await measure(measured).catch(onError)
    return { entry, result }
  }

  /** Waiting appends share one write and one fsync. */
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
    for (const { done } of batch) done(neverCounted())
  }

  /** Writes entries. The result tells for each: undefined (written), "again" (write it again), or an error. */
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

  /** Builds the counters' entry before anything is written, so that an invalid count refuses the whole write. */
  function measureOf(by: Author, ops: readonly Op[]): Entry | undefined {
    const measured = ops.filter((op) => !("kind" in op))
    if (measured.length === 0) return undefined
    return makeEntry(source, by, measured, { writer: writer(), clock: 0 })
  }

  async function measure(entry: Entry | undefined): Promise<void> {
    if (entry === undefined) return
    live.refresh()
    await live.metrics().append(entry)
  }

  async function writeChanges<T>(
    by: Author,
    build: (tx: Transaction) => T,
    undoes: string | undefined,
  ): Promise<Written<T> | "again"> {
    if ((await writePending()) === "again") return "again"
    // The entry is valid only if no other ordered entry is written after this state.
    const { state, seq, clock } = live.refresh()
    const { ops, result } = draftOps(state, archive.has, build, branch())
    const measured = measureOf(by, ops)
    const changes = markReturns(ops.filter(inLog))
    if (changes.length === 0) {
      await measure(measured)
      return { entry: null, result }
    }
    const entry = await putNext(by, changes, { seq, clock }, undoes)
    // Counters are written only after success, so that a retry does not count them twice.
    if (entry === "again") return "again"
    await measure(measured).catch(onError)
    return { entry, result }
  }

  /** Marks ops that add a mem from the archive. Their undo archives the mem again instead of deleting it. */
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

  /** Writes an ordered entry. Returns "again" if another process has written one after `seq`. */
  async function putNext(
    by: Author,
    ops: Op[],
    { seq, clock }: Pick<View, "seq" | "clock">,
    undoes?: string,
  ): Promise<Entry | "again"> {
    const place = { writer: writer(), seq: seq + 1, clock: nextClock(clock, source.now()) }
    const entry = makeEntry(source, by, ops, undoes === undefined ? place : { ...place, undoes })
    const error = (await put([entry]))(entry)
    if (error === "again") return "again"
    if (error !== undefined) throw error
    return entry
  }

  async function writePending(): Promise<"again" | undefined> {
    const view = await live.settled()
    const { repairs } = view
    if (repairs.length === 0) return undefined
    // Leaves out repairs that a later change has made unnecessary.
    const inForce = repairs.filter((op) => isInForce(view.state, op))
    if ((await putAll(REPAIR, view, inForce)) === "again") return "again"
    view.repairs = view.repairs.slice(repairs.length)
    view.problems = view.problems.filter(({ code }) => code !== "repaired_link")
    return undefined
  }

  /** Writes ops as several lines of limited length, because there may be thousands of ops. */
  async function putAll(by: Author, view: View, ops: readonly Op[]): Promise<"again" | undefined> {
    for (const batch of inBatches(ops, LINE_CHARS))
      if ((await putNext(by, batch, view)) === "again") return "again"
    return undefined
  }

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
    // Short batches, because reading a batch back after its write blocks the event loop.
    for (const batch of inBatches(lines(), BATCH_CHARS)) {
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

  async function locked<T>(job: () => Promise<T | "again">): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const result = await underLock(paths, job)
      if (result !== "again") return result
    }
    throw neverCounted()
  }

  return {
    appendChanges,
    writeChanges,
    writeMerged,
    putNext,
    putAll,
    writePending,
    locked,
    idle: appends.idle,
  }
}

function neverCounted(): HiveError {
  return new HiveError({
    code: "locked",
    what: "Nothing was written.",
    why: "Other processes wrote to the graph first, at every attempt.",
    use_instead: "Try again when the machine is less busy.",
    evidence: `${MAX_ATTEMPTS} attempts`,
  })
}

function unconfirmed(why: string, cause: unknown): HiveError {
  return new HiveError(
    {
      code: "unconfirmed",
      what: "The change was written, but a crash may undo it.",
      why: `It was written, but ${why}.`,
      use_instead: "Check with `hivemind log` whether the change is there before you write it again.",
      evidence: cause instanceof Error ? cause.message : String(cause),
    },
    { cause },
  )
}

const MAX_ATTEMPTS = 5
const LINE_CHARS = 1 << 20
const BATCH_CHARS = 1 << 16
