import type { Entry } from "../../schemas/entry.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { HOLDING, type Link, linksFrom } from "../links.ts"
import { isSame } from "../state.ts"
import { type FieldChange, type Fields, type MergeDraft, noteConflict } from "./draft.ts"
import { isShared } from "./order.ts"

/** Returns the part of a change that the record's status allows. If the status is refused, so are the fields in BELONGING. */
export function mergeStatus(
  draft: MergeDraft,
  entry: Entry,
  kind: Kind,
  record: AnyRecord,
  change: FieldChange,
): FieldChange {
  const now: Fields = record
  const { to, was } = change
  const from = now["status"]
  const wanted = to["status"]
  if (typeof from !== "string" || typeof wanted !== "string") return change
  const belonging = pick(to, (field) => BELONGING.has(field))
  const standing = pick(now, (field) => BELONGING.has(field) && now[field] !== null)

  const stay = (rule: "ends" | "status" | "held_twice", isNoted = false): FieldChange => {
    noteConflict(draft, entry, { rule, kind, id: record.id, kept: standing, lost: belonging, isNoted })
    return { to: pick(to, (field) => !BELONGING.has(field)), was }
  }
  if (wanted === from) return isTakenByOther(kind, now, change) ? stay("held_twice") : change
  if (from === was["status"]) return change
  const [end, newEnd] = [ENDS[kind]?.[from], ENDS[kind]?.[wanted]]
  if (end === undefined || end === newEnd) return change
  if (newEnd === undefined) return stay("status", true)
  if (end === "given up") return stay("ends")
  const clash = { rule: "ends", kind, id: record.id, kept: belonging, lost: standing } as const
  noteConflict(draft, entry, { ...clash, lostIsOlder: true })
  const gone = Object.keys(standing).filter((field) => OF_AN_END.has(field))
  const cleared = Object.fromEntries(gone.map((field) => [field, null]))
  return { to: { ...cleared, ...to }, was: { ...was, ...standing } }
}

function isTakenByOther(kind: Kind, now: Fields, { to, was }: FieldChange): boolean {
  if (kind !== "task" || to["status"] !== "active" || was["status"] === "active") return false
  const holder = now["assigned_session_id"]
  return holder !== null && holder !== to["assigned_session_id"]
}

function pick(fields: Fields, isWanted: (field: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => isWanted(field)))
}

const ENDS: Partial<Record<Kind, Readonly<Record<string, "done" | "given up">>>> = {
  task: { completed: "done", failed: "given up", invalidated: "given up" },
  plan: { completed: "done", archived: "done", abandoned: "given up" },
  mem: { purged: "given up" },
  delegation: { returned: "done", recalled: "given up", failed: "given up" },
}
const OF_AN_END = new Set(["completed_at", "evidence", "reason", "result"])
const BELONGING = new Set([
  "status",
  "assigned_session_id",
  "assigned_to",
  "started_at",
  "completed_at",
  "evidence",
  "reason",
  "result",
])

/** Merges a change into a record that other clones may have changed. The last writer wins; lists are united. */
export function mergeFields(
  kind: Kind,
  now: Fields,
  { to, was }: FieldChange,
): { next: Fields; overwritten: Fields } {
  const next: Record<string, unknown> = {}
  const overwritten: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(to)) {
    const current = now[field]
    if (field === "updated_at") {
      // Without other changes in between, the new time counts even if it is earlier, as after an undo.
      next[field] = isSame(current, was[field]) ? value : later(current, value)
    } else if (isSame(current, was[field]) || isSame(current, value)) {
      next[field] = value
    } else if (Array.isArray(current) && Array.isArray(value) && !REPLACED.has(`${kind}.${field}`)) {
      next[field] = united(current, value, was[field])
    } else {
      next[field] = value
      if (!FOUND_IN_FILES.has(kind)) overwritten[field] = current
    }
  }
  return { next, overwritten }
}

function united(current: readonly unknown[], value: readonly unknown[], was: unknown): unknown[] {
  const before = keysOf(Array.isArray(was) ? was : [])
  const after = keysOf(value)
  const kept = current.filter((each) => after.has(keyOf(each)) || !before.has(keyOf(each)))
  const there = keysOf(kept)
  return [...kept, ...value.filter((each) => !before.has(keyOf(each)) && !there.has(keyOf(each)))]
}

function keysOf(values: readonly unknown[]): Set<string> {
  return new Set(values.map(keyOf))
}

function keyOf(value: unknown): string {
  return JSON.stringify(value)
}

function later(a: unknown, b: unknown): unknown {
  return String(a) > String(b) ? a : b
}

// The content of these lists comes from a file, so the new list replaces the old one.
const REPLACED = new Set(["artifact.sections"])
// These records repeat the content of files, so overwriting a value is no conflict.
const FOUND_IN_FILES = new Set<Kind>(["artifact"])

/** False if a record needs a parent that does not exist. */
export function canStand(draft: Pick<MergeDraft, "get">, kind: Kind, record: AnyRecord): boolean {
  return linksFrom(kind).every(
    (link) =>
      !NEEDED.has(`${kind}.${link.field}`) || link.ids(record).every((id) => isThere(draft, link, id)),
  )
}

/** The record without links to missing records. Links to missing dependencies stay: they must not count as met. */
export function withoutDeadLinks(draft: Pick<MergeDraft, "get">, kind: Kind, record: AnyRecord): AnyRecord {
  if (!isShared(kind)) return record
  const fields: Record<string, unknown> = { ...record }
  for (const link of linksFrom(kind)) {
    if (NEEDED.has(`${kind}.${link.field}`) || HOLDING.has(`${kind}.${link.field}`)) continue
    const value = fields[link.field]
    if (Array.isArray(value)) {
      const alive = value.filter((id: string) => isThere(draft, link, id))
      if (alive.length < value.length) fields[link.field] = alive
    } else if (typeof value === "string" && !isThere(draft, link, value)) fields[link.field] = null
  }
  // The cast is safe: all links that can be emptied here are nullable or lists in the schema.
  return fields as AnyRecord
}

function isThere(draft: Pick<MergeDraft, "get">, { to }: Link, id: string | null): boolean {
  if (id === null) return true
  if (to !== "any") return draft.get(to, id) !== undefined
  return kinds.some((kind) => isShared(kind) && draft.get(kind, id) !== undefined)
}

const NEEDED = new Set([
  "phase.parent_plan_id",
  "task.parent_plan_id",
  "task.parent_phase_id",
  "checkpoint.task_id",
  "delegation.task_id",
])
