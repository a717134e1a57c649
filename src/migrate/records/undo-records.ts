import { existsSync } from "node:fs"
import { linksFrom } from "../../graph/links.ts"
import { recordNames } from "../../graph/record-names.ts"
import { type GraphState, isSame, recordsOf } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Author, Entry } from "../../schemas/entry.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { quarantineFile } from "../../store/files/quarantine-file.ts"
import { readMigration } from "../../store/migrations.ts"
import { putGitignoreBack, removeHive } from "../../store/remove-hive.ts"
import { removeBackup } from "../../sync/backup.ts"

export interface UndoneRecords {
  dropped: Partial<Record<Kind, number>>
  /** Records that stay, because they were changed or others need them. `examples` names some, with the reason. */
  kept: { count: number; examples: { name: string; why: string }[] }
}

export interface UndoOptions {
  dryRun?: boolean
  onProgress?: (done: number, total: number) => void
}

/** Removes the records that a tool has written, unless they were changed, others need them, or another clone has them. */
export async function undoRecords(
  hive: Hive,
  tool: string,
  { dryRun = false, onProgress }: UndoOptions = {},
) {
  const { store } = hive
  const entries = await store.log({ tool })
  const { state } = store.read()
  const written = writtenBy(entries)
  const derived = [...writtenBy(await store.log({ tool: EXTRACTION }))].filter(([, { record }]) =>
    sourcesOf(record).some((id) => written.has(id)),
  )
  const own = new Map([...written, ...derived])
  const why = whyKept(state, own, writtenElsewhere(entries))
  // HiveMind extracts mems from records. Such a mem stays if its record stays.
  for (const [id, { record }] of derived)
    if (sourcesOf(record).some((source) => why.has(source)))
      why.set(id, "the record that it was made from stays")
  const isThere = ({ kind, id }: Written) =>
    recordsOf(state, kind).has(id) || (kind === "mem" && store.archive.has(id))
  const leaving = [...own.values()].filter((each) => !why.has(each.id) && isThere(each))
  const { nameOf } = recordNames(state)
  const kept = [...why].flatMap(([id, reason]) => {
    const kind = own.get(id)?.kind
    return kind === undefined || kind === "trajectory" ? [] : { name: nameOf(kind, id), why: reason }
  })
  const result: UndoneRecords = {
    dropped: {},
    kept: { count: kept.length, examples: kept.slice(0, MAX_EXAMPLES) },
  }
  for (const { kind } of leaving) result.dropped[kind] = (result.dropped[kind] ?? 0) + 1
  if (dryRun) return result

  const by: Author = { tool: `${tool} --undo`, session: null, agent: null }
  const at = new Date(hive.source.now()).toISOString()
  const gone = new Set(leaving.map(({ id }) => id))
  if (leaving.length > 0) await store.write(by, (tx) => releaseReferences(tx, gone, at))
  // Read-heads go first, because they point at other records. The rest goes in reverse, because later ones need earlier ones.
  const isHead = ({ kind }: Written) => kind === "trajectory"
  const inOrder = [...leaving.filter(isHead), ...leaving.filter((each) => !isHead(each)).toReversed()]
  for (let from = 0; from < inOrder.length; from += BATCH_RECORDS) {
    const batch = inOrder.slice(from, from + BATCH_RECORDS)
    await store.write(by, (tx) => {
      tx.putBack()
      for (const each of batch) dropRecord(tx, store, each)
    })
    onProgress?.(Math.min(from + BATCH_RECORDS, inOrder.length), inOrder.length)
  }
  quarantineFile(hive.home).remove(tool)
  return result
}

interface Written {
  kind: Kind
  id: string
  record: AnyRecord
}

function writtenBy(entries: readonly Entry[]): Map<string, Written> {
  const written = new Map<string, Written>()
  for (const op of entries.flatMap(({ ops }) => ops)) {
    if (op.op === "add") written.set(op.record.id, { kind: op.kind, id: op.record.id, record: op.record })
    else if (op.op === "drop") written.delete(op.id)
    else if (op.op === "set") {
      const there = written.get(op.id)
      if (there !== undefined)
        written.set(op.id, { ...there, record: { ...there.record, ...op.to } as AnyRecord })
    }
  }
  return written
}

/** Finds records that other clones have added too. A merge may have removed them from `ops`, but not from `meant`. */
function writtenElsewhere(entries: readonly Entry[]): Set<string> {
  const ids = new Set<string>()
  for (const { brought, ops, meant = [] } of entries)
    for (const op of brought === undefined ? [] : [...meant, ...ops]) {
      if (op.op === "add") ids.add(op.record.id)
      else if (op.op === "drop") ids.delete(op.id)
    }
  return ids
}

function sourcesOf(record: AnyRecord): string[] {
  if (!("origin" in record)) return []
  if (record.origin === "finished_task") return record.origin_task_id === null ? [] : [record.origin_task_id]
  return record.origin === "anchor" ? record.related_to : []
}

function whyKept(state: GraphState, own: ReadonlyMap<string, Written>, elsewhere: ReadonlySet<string>) {
  const why = new Map<string, string>()
  const staying: { kind: Kind; record: AnyRecord }[] = []
  for (const kind of kinds)
    for (const record of recordsOf(state, kind).values()) {
      const written = own.get(record.id)
      const isShared = elsewhere.has(record.id)
      if (!isShared && written !== undefined && isUnchanged(record, written.record)) continue
      if (written !== undefined)
        why.set(record.id, isShared ? "another clone has the record too" : "the record was changed since")
      // A read-head does not keep the records that it points at: its links to removed records are cleared.
      if (kind !== "trajectory") staying.push({ kind, record })
    }
  for (let next = staying.pop(); next !== undefined; next = staying.pop())
    for (const link of linksFrom(next.kind)) {
      if (link.field === "related_to") continue
      for (const id of link.ids(next.record)) {
        const written = id === null ? undefined : own.get(id)
        const record = written && recordsOf(state, written.kind).get(written.id)
        if (written === undefined || record === undefined || why.has(written.id)) continue
        why.set(written.id, `a ${next.kind} that stays depends on it`)
        staying.push({ kind: written.kind, record })
      }
    }
  return why
}

function isUnchanged(record: AnyRecord, written: AnyRecord): boolean {
  const fields = (each: AnyRecord) => Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))
  return isSame(fields(record), fields(written))
}

function releaseReferences(tx: Transaction, gone: ReadonlySet<string>, at: string): void {
  const isGone = (id: string | null) => id !== null && gone.has(id)
  for (const head of [...tx.all("trajectory")]) {
    if (gone.has(head.id)) continue
    const tasks = head.active_task_ids.filter((id) => !gone.has(id))
    const to = {
      ...(isGone(head.active_plan_id) && { active_plan_id: null }),
      ...(isGone(head.active_phase_id) && { active_phase_id: null }),
      ...(isGone(head.intent_about) && { intent_about: null }),
      ...(tasks.length < head.active_task_ids.length && { active_task_ids: tasks }),
    }
    if (Object.keys(to).length > 0) tx.set("trajectory", head.id, { ...to, updated_at: at })
  }
  for (const kind of ["mem", "anchor"] as const)
    for (const { id, related_to } of [...tx.all(kind)])
      if (!gone.has(id) && related_to.some(isGone))
        tx.set(kind, id, { related_to: related_to.filter((each) => !isGone(each)) })
}

function dropRecord(tx: Transaction, { archive }: Hive["store"], { kind, id }: Written): void {
  if (tx.get(kind, id) === undefined) {
    const archived = kind === "mem" ? archive.get(id) : undefined
    if (archived === undefined) return
    // An archived mem must be in the graph to be dropped.
    tx.add("mem", archived)
  }
  tx.drop(kind, id)
}

/** Removes `.hivemind/` if only migrations and imports have written to it. */
export async function removeHiveIfUnused({ home, dir, store }: Hive): Promise<void> {
  const migration = readMigration(home)
  const isMigrated = migration !== undefined && migration.state !== "undone"
  if (existsSync(hivePaths(home).install) || isMigrated) return
  const count = (kind: Kind) => recordsOf(store.read().state, kind).size
  if (count("plan") + count("task") + count("mem") + count("anchor") > 0) return
  for (const mem of store.archive.walk(() => false)) if (mem !== undefined) return
  const isUsed = kinds.some((kind) => count(kind) > 0) || store.syncMark() !== undefined
  if (isUsed || (await store.log({ besides: OWN_TOOLS, limit: 1 })).length > 0) putGitignoreBack(home)
  else {
    // The migration's mark stays, because without it the next start would migrate the old files again.
    await removeHive(home, migration !== undefined)
    await removeBackup({ home, dir })
  }
}

const EXTRACTION = "extraction"
const OWN_TOOLS = ["migrate", "hivemind import", "archive"]
const BATCH_RECORDS = 100
const MAX_EXAMPLES = 20
