import { isAsKept, leftOut } from "../../graph/conflict-standing.ts"
import { isOverTask } from "../../graph/lifecycle.ts"
import { canStand, withoutDeadLinks } from "../../graph/merge/links.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import { removeFromReadHeads } from "../task/release.ts"
import { blockTasks, unblockTasks, waitingForTask } from "../task/unblock.ts"

interface Known {
  /** The record as it was when it was taken away. */
  last: AnyRecord | undefined
  archived: (id: string) => AnyRecord | undefined
  at: string
}

/** Puts what lost in the place of what stands. Whichever status it had: its clone had come there by allowed steps. */
export function takeLost(tx: Transaction, conflict: Conflict, known: Known): void {
  const { rule, record_id: id, lost } = conflict
  const kind = kinds.find((each) => each === conflict.kind)
  const record = kind === undefined ? undefined : tx.get(kind, id)
  if (kind === undefined || !isAsKept(conflict, record)) throw changedSince(conflict)
  tx.putBack()
  if (record === undefined) bringBack(tx, kind, conflict, known)
  else if (rule === "dropped") drop(tx, kind, id, known.at)
  else if (rule === "circle") setFields(tx, kind, id, withLinks(record, lost.fields), known.at)
  else if (rule === "anchor_key") setFields(tx, kind, id, pick(lost.fields, ["value", "priority"]), known.at)
  else setFields(tx, kind, id, lost.fields, known.at)
  if (kind === "task") followTask(tx, id, known.at)
}

function drop(tx: Transaction, kind: Kind, id: string, at: string): void {
  if (kind === "task") removeFromReadHeads(tx, id, at)
  tx.drop(kind, id)
}

// The casts of these two: fields and record are those of the conflict's kind, and the transaction checks them.
function setFields(tx: Transaction, kind: Kind, id: string, fields: Fields, at: string): void {
  tx.set(kind, id, { ...fields, updated_at: at } as never)
}

/** Adds a record again that is gone, with all that others have changed of it. */
function bringBack(tx: Transaction, kind: Kind, { record_id: id }: Conflict, known: Known): void {
  if (known.last === undefined) throw noVersion(kind, id)
  const about = [...tx.by("conflict", "record", id)]
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
  if (!canStand(there, kind, record)) throw parentGone(kind, id)
  tx.add(kind, withoutDeadLinks(there, kind, record) as never)
}

/** What follows from a task's end, or from its going on, as it would have by other ways. */
function followTask(tx: Transaction, id: string, at: string): void {
  const task = tx.get("task", id)
  if (isOverTask(task)) removeFromReadHeads(tx, id, at)
  const waiting = [...waitingForTask(tx, id)]
  unblockTasks(tx, waiting, at)
  blockTasks(tx, waiting, at)
}

type Fields = Readonly<Record<string, unknown>>

/** Links that the record has got since stay. */
function withLinks(record: AnyRecord, lost: Fields): Fields {
  const now: Fields = { ...record }
  return Object.fromEntries(
    Object.entries(lost).map(([field, ids]) => {
      const value = now[field]
      return [field, Array.isArray(value) ? [...value, ...leftOut(record, field, ids)] : ids]
    }),
  )
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}

function changedSince({ id, kind, record_id }: Conflict): HiveError {
  return new HiveError({
    code: "conflict",
    what: "What lost is out of date.",
    why: `The ${kind} has been changed since the conflict was found.`,
    use_instead: `Change the ${kind} as it should be; taking what was kept settles the conflict.`,
    evidence: `conflict ${id}: ${kind} ${record_id}`,
  })
}

function parentGone(kind: Kind, id: string): HiveError {
  return new HiveError({
    code: "orphan",
    what: `The ${kind} cannot be added again.`,
    why: "What it belongs to is gone too.",
    use_instead: "Settle the conflict about that first, or make a new one elsewhere.",
    evidence: `${kind} ${id}`,
  })
}

function noVersion(kind: Kind, id: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `The ${kind} cannot be added again.`,
    why: "The log no longer has it as a whole.",
    use_instead: `Make a new ${kind}; the conflict shows what was changed.`,
    evidence: `${kind} ${id}`,
  })
}
