import { isSame } from "../../graph/change.ts"
import { linksFrom } from "../../graph/links.ts"
import { recordsOf } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { quarantineFile } from "../../store/files/quarantine-file.ts"
import {
  type Migration,
  moveFiles,
  readMigrations,
  replaceConfig,
  whileMigrating,
  writeMigrations,
} from "../../store/migrations.ts"
import { MIGRATE } from "./migrate.ts"

export interface Undone {
  /** How many records were taken out again. */
  dropped: number
  /** Records that somebody has built upon since, with why each stays. */
  kept: { kind: Kind; id: string; why: string }[]
  /** Files that are where they were. */
  files: string[]
  /** What could not be put back, and why. */
  left: string[]
}

/** Takes a migration back: the graph without its records, the files as they were. What was built upon since stays. */
export async function undoMigration(hive: Hive): Promise<Undone | undefined> {
  if (standing(hive.home).length === 0) return undefined
  return whileMigrating(hive.home, async () => {
    // From now on nothing is taken over again by itself.
    rewrite(hive.home, (migration) => ({ ...migration, state: "undoing" }))
    const written = await writtenRecords(hive)
    const kept = findKept(hive, written)
    const dropped = await dropAll(
      hive,
      written.filter(({ id }) => !kept.has(id)),
    )
    const { files, left } = putFilesBack(hive)
    quarantineFile(hive.home).remove(MIGRATE.tool)
    const at = new Date(hive.source.now()).toISOString()
    rewrite(hive.home, (migration) => ({ ...migration, state: "undone", finished_at: at, stays: {} }))
    return { dropped, kept: [...kept.values()], files, left }
  })
}

interface WrittenRecord {
  kind: Kind
  id: string
  /** As the migration has left it. */
  record: AnyRecord
}

function standing(home: string): Migration[] {
  return readMigrations(home).filter(({ state }) => state !== "undone")
}

function rewrite(home: string, change: (migration: Migration) => Migration): void {
  writeMigrations(
    home,
    readMigrations(home).map((each) => (each.state === "undone" ? each : change(each))),
  )
}

/** What the migration has written, in the order in which it did. */
async function writtenRecords({ store, home }: Hive): Promise<WrittenRecord[]> {
  const since = standing(home)
    .map(({ started_at }) => started_at)
    .sort()[0]
  const written = new Map<string, WrittenRecord>()
  for (const { ops } of await store.log({ tool: MIGRATE.tool, ...(since === undefined ? {} : { since }) }))
    for (const op of ops) {
      if (op.op === "add") written.set(op.record.id, { kind: op.kind, id: op.record.id, record: op.record })
      else if (op.op === "set") {
        const known = written.get(op.id)
        if (known !== undefined)
          written.set(op.id, { ...known, record: { ...known.record, ...op.to } as AnyRecord })
      } else if (op.op === "drop") written.delete(op.id)
    }
  return [...written.values()]
}

/** Those that were changed since, those that others point at, and what these themselves point at. */
function findKept({ store }: Hive, written: readonly WrittenRecord[]): Map<string, Undone["kept"][number]> {
  const { state } = store.read()
  const own = new Map(written.map((each) => [each.id, each]))
  const kept = new Map<string, Undone["kept"][number]>()
  const keep = (id: string, why: string): void => {
    const each = own.get(id)
    if (each === undefined || kept.has(id)) return
    kept.set(id, { kind: each.kind, id, why })
    for (const link of linksFrom(each.kind))
      for (const linked of link.ids(recordsOf(state, each.kind).get(id) ?? each.record))
        if (linked !== null && !isLoose(link.from, link.field))
          keep(linked, `a ${each.kind} that stays needs it`)
  }
  for (const { kind, id, record } of written) {
    const now = recordsOf(state, kind).get(id)
    if (now !== undefined && !isSame(now, record)) keep(id, "it was changed since")
  }
  for (const kind of kinds)
    for (const link of linksFrom(kind)) {
      if (isLoose(kind, link.field)) continue
      for (const [id, record] of recordsOf(state, kind))
        if (!own.has(id))
          for (const linked of link.ids(record))
            if (linked !== null) keep(linked, `a newer ${kind} belongs to it`)
    }
  return kept
}

/** Links that go without what they point at: where somebody stands, and what is merely related. */
function isLoose(kind: Kind, field: string): boolean {
  return kind === "trajectory" || field === "related_to"
}

/** What came last goes first: nothing is left without what it leans on. */
async function dropAll({ store }: Hive, written: readonly WrittenRecord[]): Promise<number> {
  const gone = new Set(written.map(({ id }) => id))
  const backwards = written.toReversed()
  let dropped = 0
  for (let n = 0; n < backwards.length; n += BATCH) {
    const batch = backwards.slice(n, n + BATCH)
    const { result } = await store.write({ ...MIGRATE, tool: UNDO_TOOL }, (tx) => {
      tx.putBack()
      if (n === 0) loosen(tx, gone)
      return batch.filter(({ kind, id }) => drop(tx, store, kind, id)).length
    })
    dropped += result
  }
  return dropped
}

function drop(tx: Transaction, store: Hive["store"], kind: Kind, id: string): boolean {
  if (tx.get(kind, id) === undefined) {
    const archived = kind === "mem" ? store.archive.get(id) : undefined
    if (archived === undefined) return false
    // It comes back for as long as it takes to be dropped.
    tx.add("mem", archived)
  }
  tx.drop(kind, id)
  return true
}

/** Read-heads and cross-references let go of what is about to leave. */
function loosen(tx: Transaction, gone: ReadonlySet<string>): void {
  const isGone = (id: string | null) => id !== null && gone.has(id)
  for (const head of [...tx.all("trajectory")]) {
    if (gone.has(head.id)) continue
    const { active_plan_id: plan, active_phase_id: phase, active_task_ids: tasks, intent_about: about } = head
    if (isGone(plan) || isGone(phase) || isGone(about) || tasks.some(isGone))
      tx.set("trajectory", head.id, {
        active_plan_id: isGone(plan) ? null : plan,
        active_phase_id: isGone(plan) || isGone(phase) ? null : phase,
        active_task_ids: tasks.filter((id) => !isGone(id)),
        intent_about: isGone(about) ? null : about,
      })
  }
  for (const kind of ["mem", "anchor"] as const)
    for (const record of [...tx.all(kind)])
      if (!gone.has(record.id) && record.related_to.some(isGone))
        tx.set(kind, record.id, { related_to: record.related_to.filter((id) => !isGone(id)) })
}

function putFilesBack({ home }: Hive): Pick<Undone, "files" | "left"> {
  const files: string[] = []
  const left: string[] = []
  for (const { moves, config } of standing(home).toReversed()) {
    for (const { from, to } of moves) {
      const outcome = moveFiles(home, [{ from: to, to: from }])
      if (outcome.includes(to)) files.push(from)
      else left.push(`${from}: there is a file of that name, or ${to} is gone`)
    }
    if (config !== null && !replaceConfig(hivePaths(home), config.after, config.before))
      left.push("system/config.json: it was changed since")
  }
  return { files, left }
}

const BATCH = 100
const UNDO_TOOL = "migrate --undo"
