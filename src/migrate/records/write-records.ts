import { applyOp, emptyState, recordsOf } from "../../graph/state.ts"
import { draftOps, type Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Author } from "../../schemas/entry.ts"
import { type AnyRecord, kinds } from "../../schemas/records.ts"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import {
  type QuarantinedPlace,
  type QuarantinedSource,
  quarantineFile,
} from "../../store/files/quarantine-file.ts"
import type { Store } from "../../store/store.ts"
import { cutAt } from "./fields.ts"
import { type NewRecord, openReport, type Report, type SourceRecord } from "./report.ts"

export interface WriteOptions {
  by: Author
  /** Only counts: writes to a copy of the graph in memory. */
  dryRun?: boolean
  into?: Store
  files?: () => readonly string[]
  /** The records that an interrupted run has written. The value is true if the record was changed since. */
  earlier?: ReadonlyMap<string, boolean>
  /** True for places that this run reads in full. Their earlier records are removed from the quarantine. */
  isRead?: (place: QuarantinedPlace) => boolean
  /** The imported file or folder, which tells apart imports of files with the same name. */
  readFrom?: string
  onSetting?: (setting: { name: string; value: unknown }) => boolean
  onProgress?: (done: number) => void
}

type WithRecords = Extract<SourceRecord, { records: readonly NewRecord[] }>

/** Writes source records in small transactions. Their ids are derived from the source, so a second run changes nothing. */
export async function writeRecords(
  hive: Hive,
  found: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  options: WriteOptions,
): Promise<Report> {
  const { by, dryRun = false, earlier = new Map(), readFrom, onProgress } = options
  const report = openReport()
  const quarantined = quarantineFile(hive.home)
  const store = dryRun ? (options.into ?? copyInMemory(hive)) : hive.store
  const written = new Set<string>()
  const claimed = new Set<string>()
  // Looking up the archive is slow, so it is skipped if the archive was empty when this run began.
  const hadArchive = hive.store.archive.size() > 0
  let waiting: WithRecords[] = []
  let refused: QuarantinedSource[] = []
  let chars = 0
  let done = 0

  async function writeWaiting(): Promise<void> {
    const batch = waiting
    waiting = []
    chars = 0
    if (batch.length > 0) await writeBatch(batch)
  }

  /** Writes a batch. If it is refused, tries its halves, until only the invalid record is left out. */
  async function writeBatch(batch: readonly WithRecords[]): Promise<void> {
    try {
      const { result } = await (isNewKnowledge(batch) ? store.append : store.write)(by, (tx) => {
        tx.putBack()
        const fresh = new Set<string>()
        return batch.map((each) => addRecords(tx, each, fresh))
      })
      for (const outcome of result) count(outcome)
    } catch (error) {
      const [first, ...others] = batch
      // Any other error is about the disk or the lock, not about a record.
      if (!(error instanceof HiveError && ABOUT_RECORDS.has(error.code)) || first === undefined) throw error
      const half = Math.ceil(batch.length / 2)
      if (others.length === 0) {
        const originals = first.records.map(({ record }) => record)
        quarantine(first.from, error.message, originals)
      } else for (const part of [batch.slice(0, half), batch.slice(half)]) await writeBatch(part)
    }
  }

  function isNewKnowledge(batch: readonly WithRecords[]): boolean {
    const all = batch.flatMap(({ records }) => records)
    const isNew = ({ kind, record }: NewRecord) =>
      (kind === "mem" || kind === "checkpoint") && !written.has(record.id) && !earlier.has(record.id)
    return new Set(all.map(({ record }) => record.id)).size === all.length && all.every(isNew)
  }

  function addRecords(tx: Transaction, source: WithRecords, fresh: Set<string>): Outcome {
    const added: NewRecord[] = []
    let note: string | undefined
    for (const each of source.records) {
      const { kind, record } = each
      const isWritten = written.has(record.id)
      const there = tx.get(kind, record.id)
      if (there === undefined) {
        if (kind === "mem" && (isWritten || (hadArchive && hive.store.archive.has(record.id)))) continue
        tx.add(kind, record as never)
        fresh.add(record.id)
        added.push(each)
      } else if (
        isWritten ||
        earlier.get(record.id) === false ||
        fresh.has(record.id) ||
        isEmptyHead(there)
      ) {
        // This run or an interrupted one wrote the record, or it is an empty read-head: empty fields are filled.
        const missing = missingFields(there, record)
        if (missing !== undefined) tx.set(kind, record.id, missing)
      } else if (isDifferent(there, record)) note = DIFFERENT
    }
    return { source, added, note }
  }

  function count({ source, added, note }: Outcome): void {
    for (const { record } of added) written.add(record.id)
    // A record of an interrupted run counts as taken once, with the first source that has it.
    const isClaimed = (id: string) => earlier.has(id) && !written.has(id) && !claimed.has(id)
    const taken = source.records.filter((each) => added.includes(each) || isClaimed(each.record.id))
    for (const { record } of taken) claimed.add(record.id)
    const kindsTaken = taken.map(({ kind }) => kind)
    if (taken.length === 0) report.already(source.from, note)
    else report.taken(kindsTaken, source.from, source.note)
  }

  function quarantine(from: string, reason: string, original: unknown): void {
    report.quarantined(from, reason)
    // An unreadable file has no original to keep: it stays, and the next run reads it again.
    if (dryRun || original === undefined) return
    const short = typeof original === "string" ? cutAt(original, MAX_KEPT_CHARS) : original
    const inside = readFrom === undefined ? {} : { in: readFrom }
    refused.push({ by: by.tool, from, ...inside, reason, original: short })
    if (refused.length >= BATCH_RECORDS) keepRefused()
  }

  function keepRefused(): void {
    quarantined.add(refused)
    refused = []
  }

  for await (const each of found) {
    report.found()
    if ("ignore" in each) report.ignored(each.from, each.ignore)
    else if ("quarantine" in each) quarantine(each.from, each.quarantine, each.original)
    else if ("setting" in each) {
      if (options.onSetting?.(each.setting) === true) report.taken(["setting"], each.from)
      else report.already(each.from)
    } else {
      waiting.push(each)
      chars += JSON.stringify(each.records).length
      if (chars >= BATCH_CHARS || waiting.length >= BATCH_RECORDS) await writeWaiting()
    }
    if (++done % PROGRESS_EVERY === 0) onProgress?.(done)
  }
  await writeWaiting()
  if (refused.length > 0) keepRefused()
  if (!dryRun && options.isRead !== undefined) quarantined.removeOutdated(by.tool, options.isRead)
  onProgress?.(done)
  return report.close(options.files?.() ?? [])
}

interface Outcome {
  source: WithRecords
  added: NewRecord[]
  note: string | undefined
}

/** Returns a store that reads and writes a copy of the graph in memory. */
export function copyInMemory({ store }: Pick<Hive, "store">): Store {
  const state = emptyState()
  const { state: graph } = store.read()
  for (const kind of kinds)
    for (const record of recordsOf(graph, kind).values()) recordsOf(state, kind).set(record.id, record)
  const write: Store["write"] = async (_, build) => {
    const { ops, result } = draftOps(state, store.archive.has, build)
    for (const op of ops) applyOp(state, op)
    return { entry: null, result }
  }
  return { ...store, read: () => ({ state, problems: [] }), write, append: write }
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the values of `copy` for fields that are empty in `there`, and its additional tags. */
function missingFields(there: AnyRecord, copy: NewRecord["record"]): Fields | undefined {
  const missing: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(copy)) {
    if (NEVER_FILLED.has(name) || isEmpty(value)) continue
    const known = (there as Fields)[name]
    if (name === "tags" && Array.isArray(known) && Array.isArray(value)) {
      const more = value.filter((tag) => !known.includes(tag))
      if (more.length > 0) missing[name] = [...known, ...more]
    } else if (isEmpty(known)) missing[name] = value
  }
  return Object.keys(missing).length > 0 ? missing : undefined
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

/** True for a read-head without a plan: its session began before the old files were read. */
function isEmptyHead(record: AnyRecord): boolean {
  return "active_plan_id" in record && record.active_plan_id === null
}

function isDifferent(there: AnyRecord, record: NewRecord["record"]): boolean {
  const [before, after] = [there as Fields, maskAll(record) as Fields]
  if (["title", "status", "value"].some((name) => name in after && before[name] !== after[name])) return true
  if (!("depends_on" in there && "depends_on" in record)) return false
  return record.depends_on.some((id) => !there.depends_on.includes(id))
}

const ABOUT_RECORDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["invalid_record", "not_found", "orphan", "duplicate"] as const),
  ...(["cycle", "lifecycle", "conflict", "in_use"] as const),
])
// These fields depend on a record's position in its file, so they are never filled in from a copy.
const NEVER_FILLED: ReadonlySet<string> = new Set([
  ...["id", "branch", "stale_at", "parent_task_id", "depends_on", "completed_at"],
])
const DIFFERENT =
  "the record already exists with another title, status, value or dependencies: it was not changed"
// Limits of one transaction: the event loop is blocked while it is checked, masked and written.
const BATCH_CHARS = 1 << 15
const BATCH_RECORDS = 25
const PROGRESS_EVERY = 100
// The most text of a record that is copied to the quarantine. The whole text stays in its file.
const MAX_KEPT_CHARS = 10_000
