import type { Conflict } from "../schemas/conflict.ts"
import type { Anchor } from "../schemas/knowledge.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Task } from "../schemas/task.ts"
import { isSame } from "./change.ts"
import { ALL } from "./indexes.ts"
import { isAnchorKept, isOverTask } from "./lifecycle.ts"
import { fieldOf } from "./links.ts"
import { type GraphState, recordsOf } from "./state.ts"

/** True of a conflict that somebody has to decide: open, and about something that is still as the merge left it. */
export function isStanding(conflict: Conflict, state: GraphState): boolean {
  return conflict.status === "open" && isAsKept(conflict, recordOf(conflict, state))
}

/** The standing ones, the oldest first. */
export function standingConflicts(state: GraphState): Conflict[] {
  const open = [...state.conflict.by("open", ALL)].filter((each) => isAsKept(each, recordOf(each, state)))
  return open.sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))
}

/** False where the record has been changed since: whoever did has decided. */
export function isAsKept(conflict: Conflict, record: AnyRecord | undefined): boolean {
  const { rule, kept, lost } = conflict
  if (rule === "dropped") {
    const there = kept.fields["record"]
    if (there === undefined) return record === undefined
    return record !== undefined && hasFields(record, there as AnyRecord)
  }
  if (record === undefined) return false
  // The casts of these two: a conflict's kind is that of its record.
  if (rule === "circle") {
    if (conflict.kind === "task" && isOverTask(record as Task)) return false
    // Another link changes nothing about the one that was left out.
    return Object.entries(lost.fields).some(([field, ids]) => leftOut(record, field, ids).length > 0)
  }
  if (rule === "anchor_key" && !isAnchorKept(record as Anchor)) return false
  return hasFields(record, kept.fields)
}

/** The ids of a lost link, or list of links, that the record does not have. */
export function leftOut(record: AnyRecord, field: string, ids: unknown): string[] {
  const now = idsIn(fieldOf({ ...record }, field))
  return idsIn(ids).filter((id) => !now.includes(id))
}

function recordOf({ kind, record_id }: Conflict, state: GraphState): AnyRecord | undefined {
  // A newer version may have kinds that this one does not know.
  return Object.hasOwn(state, kind) ? recordsOf(state, kind as Kind).get(record_id) : undefined
}

function hasFields(record: AnyRecord, fields: Readonly<Record<string, unknown>>): boolean {
  const now: Readonly<Record<string, unknown>> = { ...record }
  return Object.entries(fields).every(([field, value]) => field === "updated_at" || isSame(now[field], value))
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : []
}
