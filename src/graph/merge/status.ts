import type { Entry } from "../../schemas/entry.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import { type FieldChange, type Fields, noteConflict } from "./conflicts.ts"
import type { MergeDraft } from "./draft.ts"

/**
 * What of a change may follow the status that a record has by now. Its status, and the fields that belong to it, stand
 * or fall together. Of two ends the one that claims less stands; an end is not reopened by who did not know of it; who
 * took a task first holds it. Everything else goes to the last writer.
 */
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
  // What lost is noted, so it is not noted again field by field; and what belongs to that end goes with it.
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
