import type { Transaction } from "../graph/transaction.ts"
import type { Hive } from "../hive/hive.ts"
import type { Author } from "../schemas/entry.ts"
import type { AnyRecord } from "../schemas/records.ts"
import { type ErrorCode, HiveError } from "../shared/error.ts"
import {
  type QuarantinedPlace,
  type QuarantinedSource,
  quarantineFile,
} from "../store/files/quarantine-file.ts"
import { openMemoryStore } from "../store/memory-store.ts"
import type { Store } from "../store/store.ts"
import { bringAlong, bringLinked } from "./bring-along.ts"
import { cutAt } from "./fields.ts"
import { fillMissing } from "./fill-missing.ts"
import type { Found, Taken } from "./found.ts"
import { isOtherThan, newerStanding } from "./newer.ts"
import { openReport, type Report } from "./report.ts"

export interface LandOptions {
  by: Author
  /** Tells what would become of everything, and writes nothing. */
  dryRun?: boolean
  /** Of a dry run: where it all goes instead, and how many records at once. */
  into?: { store: Store; atOnce: number }
  /** The files that are read, for the report; asked for at the end. */
  files?: () => readonly string[]
  /** Ids that an earlier, interrupted run of the same job has written: they count as taken. */
  earlier?: ReadonlySet<string>
  /** Places that are read in full: what an earlier reading of them has put into quarantine, and this one has not, leaves it. */
  isRead?: (place: QuarantinedPlace) => boolean
  /** The file or folder that is read, where another one has places of the same names. */
  readFrom?: string
  /** Ids that writes have needed before their turn came, also while this runs: they count as taken. */
  landedFirst?: ReadonlySet<string>
  /** Of what was written before: nobody has touched it since, so what the source says anew of its standing counts. */
  isUntouched?: (there: AnyRecord) => boolean
  /** Ids of such records that an earlier, interrupted run of the same job has brought up to date. */
  renewed?: ReadonlySet<string>
  /** Ids of records that somebody else has changed since this job was begun: they stay as they are. */
  touched?: ReadonlySet<string>
  /** Writes an option of the configuration; false where it is set already. */
  onSetting?: (setting: { name: string; value: unknown }) => boolean
  /** How many source records have been dealt with. */
  onProgress?: (done: number) => void
}

type TakenFound = Extract<Found, { take: readonly Taken[] }>

/**
 * Writes what was found into the graph, in transactions of usual length, each complete in itself. A record that breaks a
 * rule goes into quarantine alone; one that is there already is left as it is. Run again, it changes nothing.
 */
export async function landFound(
  hive: Hive,
  found: AsyncIterable<Found>,
  {
    by,
    dryRun = false,
    into,
    files = () => [],
    earlier = new Set(),
    landedFirst = new Set(),
    isRead,
    readFrom,
    isUntouched = () => false,
    renewed = new Set(),
    touched = new Set(),
    onSetting,
    onProgress,
  }: LandOptions,
): Promise<Report> {
  const report = openReport()
  const kept = quarantineFile(hive.home)
  const target = dryRun ? (into?.store ?? openMemoryStore(hive.source)) : hive.store
  const atOnce = into?.atOnce ?? BATCH_RECORDS
  const own = new Set(earlier)
  const unclaimed = new Set(earlier)
  const claimed = new Set<string>()
  const hadArchive = hive.store.archive.size() > 0
  let waiting: TakenFound[] = []
  let refused: QuarantinedSource[] = []
  let chars = 0
  let done = 0

  async function landWaiting(): Promise<void> {
    const batch = waiting
    waiting = []
    chars = 0
    if (batch.length > 0) await land(batch)
  }

  /** Where one of them is refused, the others are tried without it. */
  async function land(batch: readonly TakenFound[]): Promise<void> {
    let outcomes: Outcome[]
    try {
      outcomes = await write(batch)
    } catch (error) {
      const [first, ...others] = batch
      if (!isAboutRecord(error) || first === undefined) throw error
      if (others.length === 0) {
        quarantine(
          first.from,
          error.message,
          first.take.map(({ record }) => record),
        )
        return
      }
      const half = Math.ceil(batch.length / 2)
      await land(batch.slice(0, half))
      await land(batch.slice(half))
      return
    }
    for (const { found, added, told } of outcomes) {
      for (const { record } of added) own.add(record.id)
      // The first copy of what an earlier run has written is the one that it was made of.
      const taken = found.take.filter((each) => added.includes(each) || isClaimed(each.record.id))
      if (taken.length === 0) report.already(told, found.from)
      else
        report.taken(
          taken.map(({ kind }) => kind),
          found.from,
          found.note,
        )
    }
  }

  function isClaimed(id: string): boolean {
    const isFirst = landedFirst.has(id) && !claimed.has(id)
    claimed.add(id)
    return unclaimed.delete(id) || isFirst
  }

  async function write(batch: readonly TakenFound[]): Promise<Outcome[]> {
    const write = isNewAlone(batch) ? target.append : target.write
    const { result } = await write(by, (tx) => {
      tx.putBack()
      const fresh = new Set<string>()
      return batch.map((each) => putInto(tx, each, fresh))
    })
    return result
  }

  /** New mems and checkpoints go without the lock, and without a look for copies of them. */
  function isNewAlone(batch: readonly TakenFound[]): boolean {
    const taken = batch.flatMap(({ take }) => take)
    const ids = new Set(taken.map(({ record }) => record.id))
    return (
      ids.size === taken.length &&
      taken.every(({ kind, record }) => (kind === "mem" || kind === "checkpoint") && !own.has(record.id))
    )
  }

  /** What was in the archive before is asked for in its files; what has gone there since is our own. */
  function isArchived(id: string): boolean {
    const isBefore = earlier.has(id) || landedFirst.has(id)
    if (own.has(id) && !isBefore) return true
    // What was written before may have been undone since, and is then nowhere.
    return (hadArchive || isBefore) && hive.store.archive.has(id)
  }

  /** Nobody has changed it since: what is empty in it, nobody has emptied. */
  function isOurs(id: string): boolean {
    return own.has(id) && !touched.has(id) && !landedFirst.has(id)
  }

  function putInto(tx: Transaction, found: TakenFound, fresh: Set<string>): Outcome {
    const added: Taken[] = []
    let told: string | undefined
    for (const taken of found.take) {
      const { kind, record } = taken
      const there =
        tx.get(kind, record.id) ?? (dryRun ? bringAlong(tx, hive.store, kind, record.id) : undefined)
      if (there === undefined) {
        if (kind === "mem" && isArchived(record.id)) continue
        if (dryRun) bringLinked(tx, hive.store, kind, record)
        // The kind is that of the record, which TypeScript does not see for all kinds at once.
        tx.add(kind, record as never)
        fresh.add(record.id)
        added.push(taken)
      } else if (isOurs(record.id) || fresh.has(record.id) || isEmptyHead(there)) {
        // The same thing in another old file, which may know more of it.
        const missing = fillMissing(there, record)
        if (missing !== undefined) tx.set(kind, record.id, missing)
      } else {
        const newer = isUntouched(there) ? newerStanding(there, record) : undefined
        if (newer !== undefined) tx.set(kind, record.id, newer)
        if (isOtherThan(newer === undefined ? there : ({ ...there, ...newer } as AnyRecord), record))
          told = OTHER_STATUS
        else if (newer !== undefined || renewed.has(record.id)) told ??= NEWER_STATUS
      }
    }
    return { found, added, told }
  }

  function quarantine(from: string, reason: string, original: unknown): void {
    report.quarantined(from, reason)
    const short = typeof original === "string" ? cutAt(original, MAX_KEPT) : original
    // Nothing to keep of a file that nobody could read: it stays, and is read again.
    if (dryRun || original === undefined) return
    const inside = readFrom === undefined ? {} : { in: readFrom }
    refused.push({ by: by.tool, from, ...inside, reason, original: short })
    if (refused.length >= BATCH_RECORDS) keepRefused()
  }

  /** Many at once: each time the file is forced to the disk. */
  function keepRefused(): void {
    kept.add(refused)
    refused = []
  }

  for await (const each of found) {
    report.found()
    if ("ignore" in each) report.ignored(each.from, each.ignore)
    else if ("quarantine" in each) quarantine(each.from, each.quarantine, each.original)
    else if ("setting" in each) {
      if (onSetting?.(each.setting) === true) report.taken(["setting"], each.from)
      else report.already()
    } else {
      waiting.push(each)
      chars += JSON.stringify(each.take).length
      if (chars >= BATCH_CHARS || waiting.length >= atOnce) await landWaiting()
    }
    if (++done % PROGRESS_EVERY === 0) onProgress?.(done)
  }
  await landWaiting()
  if (refused.length > 0) keepRefused()
  if (!dryRun && isRead !== undefined) kept.removeOutdated(by.tool, isRead)
  onProgress?.(done)
  return report.close(files())
}

interface Outcome {
  found: TakenFound
  added: Taken[]
  /** Of one that is there: what people are told of it. */
  told: string | undefined
}

/** A read-head that stands nowhere yet: a session has begun before the old one was read. */
function isEmptyHead(record: AnyRecord): boolean {
  return "active_plan_id" in record && record.active_plan_id === null
}

/** Refused for what it is, not because the disk or the lock did not let it. */
function isAboutRecord(error: unknown): error is HiveError {
  return error instanceof HiveError && ABOUT_RECORDS.has(error.code)
}

const ABOUT_RECORDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_record",
  "not_found",
  "orphan",
  "duplicate",
  "cycle",
  "lifecycle",
  "conflict",
  "in_use",
])
// Checked, masked, written and read back in one go: no more than the event loop may be held for.
const BATCH_CHARS = 1 << 15
const BATCH_RECORDS = 25
const OTHER_STATUS = "there already with another title or status, or other dependencies, which stay"
const NEWER_STATUS = "there already, untouched here and newer there: its status is taken over"
const PROGRESS_EVERY = 100
// Of text that could not be read; its file is kept whole.
const MAX_KEPT = 10_000
