import { isOverTask } from "../../graph/lifecycle.ts"
import { canStand, withoutDeadLinks } from "../../graph/merge/resolve.ts"
import { bothSides, isAsKept, leftOut } from "../../graph/open-conflicts.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import type { Store } from "../../store/store.ts"
import { blockTasks, removeFromReadHeads, unblockTasks, waitingForTask } from "../task/start.ts"
import { writeGraph } from "../write.ts"

export type Take = "kept" | "lost"

/** Settles a sync conflict in one write: keeps the current version, or replaces it by the version that lost. */
export async function settleConflict(
  hive: Hive,
  caller: Caller,
  { conflict: ref, take }: { conflict: string; take: Take },
): Promise<Conflict> {
  const { store } = hive
  const id = resolveId(store.read().state, "conflict", ref)
  const known = store.read().state.conflict.get(id)
  const last = take === "lost" && known !== undefined ? await lastVersion(store, known) : undefined
  const settling = writeGraph(hive, caller, (tx, at) => {
    const conflict = tx.need("conflict", id)
    if (conflict.status === "settled")
      throw refusal("conflict", conflict, {
        what: "This conflict is settled already.",
        why: "The conflict was decided here or in another clone.",
        use_instead: "To change the outcome, change the record that the conflict is about.",
      })
    if (take === "lost") takeLost(tx, conflict, { last, archived: store.archive.get, at })
    else if (conflict.rule === "replaced_twice") supersede(tx, bothSides(conflict, recordsIn(tx))[1], at)
    return tx.set("conflict", id, { status: "settled", updated_at: at })
  })
  return settling.catch((error: unknown) => {
    const isCircle = known?.rule === "circle" && error instanceof HiveError && error.code === "cycle"
    if (!isCircle) throw error
    const what = "The lost version cannot be taken: its links would form a circle."
    const use_instead =
      "Remove another link of the circle and then take the lost version, or take the kept version."
    throw refusal("cycle", known, { what, why: error.why, use_instead }, error)
  })
}

async function lastVersion(store: Store, conflict: Conflict): Promise<AnyRecord | undefined> {
  const { rule, record_id, lost } = conflict
  if (rule !== "dropped" || Object.keys(lost.fields).length === 0) return undefined
  if ("record" in lost.fields) return lost.fields["record"] as AnyRecord
  const entries = await store.log({ naming: record_id })
  for (const { ops } of entries.toReversed())
    for (const op of ops) if (op.op === "drop" && op.id === record_id) return op.was
  return undefined
}

type Known = { last: AnyRecord | undefined; archived: (id: string) => AnyRecord | undefined; at: string }

/** Replaces the current version by the one that lost. Its status is not checked: its clone reached it by allowed steps. */
function takeLost(tx: Transaction, conflict: Conflict, known: Known): void {
  const { rule, record_id: id, lost } = conflict
  const kind = kinds.find((each) => each === conflict.kind)
  if (kind === undefined || !isAsKept(conflict, recordsIn(tx)))
    throw refusal("conflict", conflict, {
      what: "The lost version cannot be taken: it is out of date.",
      why: `The ${conflict.kind} has been changed since the conflict was found.`,
      use_instead: `Change the ${conflict.kind} itself, then take the kept version to settle the conflict.`,
    })
  const record = tx.get(kind, id)
  tx.putBack()
  if (rule === "replaced_twice") supersede(tx, bothSides(conflict, recordsIn(tx))[0], known.at)
  else if (record === undefined) addDropped(tx, kind, conflict, known)
  else if (rule === "dropped") {
    if (kind === "task") removeFromReadHeads(tx, id, known.at)
    tx.drop(kind, id)
  } else {
    const isAnchor = ([field]: [string, unknown]) => field === "value" || field === "priority"
    const all = Object.entries(rule === "circle" ? withLinks(record, lost.fields) : lost.fields)
    const fields = Object.fromEntries(rule === "anchor_key" ? all.filter(isAnchor) : all)
    // The cast is safe: the fields are those of the conflict's kind, and the transaction validates them.
    tx.set(kind, id, { ...fields, updated_at: known.at } as never)
  }
  if (kind === "task") updateDependents(tx, id, known.at)
}

function supersede(tx: Transaction, mems: readonly Mem[], at: string): void {
  for (const { id } of mems) tx.set("mem", id, { status: "superseded", updated_at: at })
}

function recordsIn(tx: Transaction): Parameters<typeof isAsKept>[1] {
  const find = (kind: string, id: string) =>
    kinds.some((each) => each === kind) ? tx.get(kind as Kind, id) : undefined
  return { find, replacing: (id) => tx.by("mem", "supersedes", id) }
}

function addDropped(tx: Transaction, kind: Kind, conflict: Conflict, known: Known): void {
  const what = `The ${kind} cannot be added again.`
  if (known.last === undefined)
    throw refusal("not_found", conflict, {
      what,
      why: `The log no longer has all fields of the deleted ${kind}.`,
      use_instead: `Create a new ${kind}; the conflict shows what was changed.`,
    })
  const about = [...tx.by("conflict", "record", conflict.record_id)]
    .filter((each) => each.rule === "dropped" && each.status === "open")
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  const fields: Record<string, unknown> = { ...known.last }
  for (const each of about) {
    if (!("record" in each.lost.fields)) Object.assign(fields, each.lost.fields)
    tx.set("conflict", each.id, { status: "settled", updated_at: known.at })
  }
  const there = {
    get: (kind: Kind, id: string) => tx.get(kind, id) ?? (kind === "mem" ? known.archived(id) : undefined),
  }
  const record = { ...fields, updated_at: known.at } as AnyRecord
  if (!canStand(there, kind, record))
    throw refusal("orphan", conflict, {
      what,
      why: `The record that this ${kind} belongs to was deleted too.`,
      use_instead: `Settle the conflict about that record first, or create a new ${kind} elsewhere.`,
    })
  tx.add(kind, withoutDeadLinks(there, kind, record) as never)
}

function updateDependents(tx: Transaction, id: string, at: string): void {
  if (isOverTask(tx.get("task", id))) removeFromReadHeads(tx, id, at)
  const waiting = [...waitingForTask(tx, id)]
  unblockTasks(tx, waiting, at)
  blockTasks(tx, waiting, at)
}

type Fields = Readonly<Record<string, unknown>>

function withLinks(record: AnyRecord, lost: Fields): Fields {
  const now: Fields = { ...record }
  const merged = Object.entries(lost).map(([field, ids]) => {
    const value = now[field]
    return [field, Array.isArray(value) ? [...value, ...leftOut(record, field, ids)] : ids]
  })
  return Object.fromEntries(merged)
}

function refusal(
  code: "conflict" | "cycle" | "not_found" | "orphan",
  { id, kind, record_id }: Conflict,
  reason: { what: string; why: string; use_instead: string },
  cause?: Error,
): HiveError {
  return new HiveError({ code, ...reason, evidence: `conflict ${id}: ${kind} ${record_id}` }, { cause })
}
