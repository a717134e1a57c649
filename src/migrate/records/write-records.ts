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
  /** Counts the outcomes of all records, on a copy of the graph, and writes nothing. */
  dryRun?: boolean
  /** Of a dry run: the store that is written to instead of a copy. */
  into?: Store
  /** The files that were read, for the report; asked for at the end. */
  files?: () => readonly string[]
  /** Ids that an interrupted run of the same job has written, and whether the record was changed since. They count as taken. */
  earlier?: ReadonlyMap<string, boolean>
  /** Places that are read in full: what an earlier run quarantined there, and this one does not, leaves the quarantine. */
  isRead?: (place: QuarantinedPlace) => boolean
  /** The file or folder that is read, where several have places of the same name. */
  readFrom?: string
  /** Writes an option of the configuration; false where it is set already. */
  onSetting?: (setting: { name: string; value: unknown }) => boolean
  /** How many source records are done. */
  onProgress?: (done: number) => void
}

type WithRecords = Extract<SourceRecord, { records: readonly NewRecord[] }>

/**
 * Writes source records into the graph, in small transactions. The ids are derived from the source, so a second run changes
 * nothing. A record that breaks a rule of the graph goes into quarantine alone. A record that is there already stays as it is.
 */
export async function writeRecords(
  hive: Hive,
  found: AsyncIterable<SourceRecord>,
  options: WriteOptions,
): Promise<Report> {
  const { by, dryRun = false, earlier = new Map(), readFrom, onProgress } = options
  const report = openReport()
  const quarantined = quarantineFile(hive.home)
  const store = dryRun ? (options.into ?? copyInMemory(hive)) : hive.store
  const written = new Set<string>()
  const claimed = new Set<string>()
  // Asking the archive's files is slow, and what leaves for the archive during this run is in `written`.
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

  /** Where a record is refused, the halves of the batch are tried separately, so that only the bad record is left out. */
  async function writeBatch(batch: readonly WithRecords[]): Promise<void> {
    try {
      const isNew = isNewKnowledge(batch)
      const { result } = await (isNew ? store.append : store.write)(by, (tx) => {
        tx.putBack()
        const fresh = new Set<string>()
        return batch.map((each) => addRecords(tx, each, fresh))
      })
      for (const outcome of result) count(outcome)
    } catch (error) {
      const [first, ...others] = batch
      if (!isAboutRecord(error) || first === undefined) throw error
      const half = Math.ceil(batch.length / 2)
      if (others.length === 0) {
        const originals = first.records.map(({ record }) => record)
        quarantine(first.from, error.message, originals)
      } else for (const part of [batch.slice(0, half), batch.slice(half)]) await writeBatch(part)
    }
  }

  /** New mems and checkpoints need no lock. */
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
      const there = tx.get(kind, record.id)
      if (there === undefined) {
        if (kind === "mem" && isArchived(record.id)) continue
        // The kind is that of the record, which TypeScript does not see for all kinds at once.
        tx.add(kind, record as never)
        fresh.add(record.id)
        added.push(each)
      } else if (isOwn(record.id) || fresh.has(record.id) || isEmptyHead(there)) {
        // The same thing in another file, which may know more about it.
        const missing = missingFields(there, record)
        if (missing !== undefined) tx.set(kind, record.id, missing)
      } else if (isDifferent(there, record)) note = DIFFERENT
    }
    return { source, added, note }
  }

  function isArchived(id: string): boolean {
    return written.has(id) || (hadArchive && hive.store.archive.has(id))
  }

  function isOwn(id: string): boolean {
    return written.has(id) || earlier.get(id) === false
  }

  function count({ source, added, note }: Outcome): void {
    for (const { record } of added) written.add(record.id)
    // The first source of what an interrupted run has written is the one that it was made of.
    const taken = source.records.filter((each) => added.includes(each) || isClaimed(each.record.id))
    const kindsTaken = taken.map(({ kind }) => kind)
    if (taken.length === 0) report.already(source.from, note)
    else report.taken(kindsTaken, source.from, source.note)
  }

  function isClaimed(id: string): boolean {
    if (!earlier.has(id) || written.has(id) || claimed.has(id)) return false
    claimed.add(id)
    return true
  }

  function quarantine(from: string, reason: string, original: unknown): void {
    report.quarantined(from, reason)
    // An unreadable file stays where it is and is tried again, so there is nothing to keep.
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
  /** Said of a record that is there already. */
  note: string | undefined
}

/** The store of a hive, except that it reads and writes a copy of the graph in memory. */
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

/** Fields that are empty in the graph's record and known in this copy of it, and tags that only this copy has. */
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

/** The read-head of a session that began before the old files were read points nowhere yet. */
function isEmptyHead(record: AnyRecord): boolean {
  return "active_plan_id" in record && record.active_plan_id === null
}

/** Whether title, status, value or dependencies of the source differ from the graph's record. */
function isDifferent(there: AnyRecord, record: NewRecord["record"]): boolean {
  const [before, after] = [there as Fields, maskAll(record) as Fields]
  if (["title", "status", "value"].some((name) => name in after && before[name] !== after[name])) return true
  if (!("depends_on" in there && "depends_on" in record)) return false
  return record.depends_on.some((id) => !there.depends_on.includes(id))
}

/** Refused because of its content, not because of the disk or the lock. */
function isAboutRecord(error: unknown): error is HiveError {
  return error instanceof HiveError && ABOUT_RECORDS.has(error.code)
}

const ABOUT_RECORDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["invalid_record", "not_found", "orphan", "duplicate"] as const),
  ...(["cycle", "lifecycle", "conflict", "in_use"] as const),
])
// These depend on where a record stands, which is not the same in every file.
const NEVER_FILLED: ReadonlySet<string> = new Set([
  ...["id", "branch", "stale_at", "parent_task_id", "depends_on", "completed_at"],
])
const DIFFERENT = "there already with another title, status, value or other dependencies, which stay"
// A batch is checked, masked, written and read back at once, and must not hold the event loop for long.
const BATCH_CHARS = 1 << 15
const BATCH_RECORDS = 25
const PROGRESS_EVERY = 100
// Of text that cannot be read; its file is kept whole.
const MAX_KEPT_CHARS = 10_000
