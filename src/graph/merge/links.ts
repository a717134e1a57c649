import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { type Link, linksFrom } from "../links.ts"
import type { MergeDraft } from "./draft.ts"
import { isShared } from "./shared.ts"

/** False where a record needs another one that somebody has taken away. */
export function canStand(draft: Pick<MergeDraft, "get">, kind: Kind, record: AnyRecord): boolean {
  return linksFrom(kind).every(
    (link) =>
      !NEEDED.has(`${kind}.${link.field}`) || link.ids(record).every((id) => isThere(draft, link, id)),
  )
}

/** The record without links to what somebody has taken away. Those that hold it back stay: they are not met. */
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
  // A link that may be empty is one in its schema, too.
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
const HOLDING = new Set([
  "task.depends_on",
  "task.temporal_gate.after_task_id",
  "plan.depends_on",
  "task.decisions",
])
