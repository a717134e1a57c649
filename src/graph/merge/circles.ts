import type { Entry } from "../../schemas/entry.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import { isSame } from "../change.ts"
import { findCycle } from "../cycle.ts"
import { type Fields, noteConflict } from "./conflicts.ts"
import type { MergeDraft } from "./draft.ts"

/** Two links, each fine by itself, can be a circle together. The one that comes later in the order is left out. */
export function withoutCircles(
  draft: MergeDraft,
  entry: Entry,
  kind: Kind,
  before: AnyRecord,
  after: AnyRecord,
): void {
  for (const field of FIELDS[kind] ?? []) {
    const [was, now] = [idsOf(before, field), idsOf(after, field)]
    if (isSame(was, now)) continue
    const next = (id: string) => idsOf(draft.get(kind, id), field)
    const known = new Set(was)
    const good = [...now]
    for (const id of now.filter((each) => !known.has(each))) {
      if (findCycle(after.id, next) === undefined) break
      good.splice(good.indexOf(id), 1)
      put(draft, kind, after.id, field, good)
    }
    if (good.length === now.length) continue
    const shape = (ids: string[]) => (Array.isArray((after as Fields)[field]) ? ids : (ids[0] ?? null))
    const [kept, lost] = [{ [field]: shape(good) }, { [field]: shape(now) }]
    noteConflict(draft, entry, { rule: "circle", kind, id: after.id, kept, lost })
  }
}

function put(draft: MergeDraft, kind: Kind, id: string, field: string, ids: string[]): void {
  const record = draft.get(kind, id)
  if (record === undefined) return
  const value = Array.isArray((record as Fields)[field]) ? [...ids] : (ids[0] ?? null)
  // Some of its own ids, or none, are good for the field.
  draft.put(kind, { ...record, [field]: value } as AnyRecord)
}

function idsOf(record: AnyRecord | undefined, field: string): string[] {
  const value = (record as Fields | undefined)?.[field]
  return Array.isArray(value) ? (value as string[]) : typeof value === "string" ? [value] : []
}

const FIELDS: Partial<Record<Kind, readonly string[]>> = {
  task: ["depends_on", "parent_task_id"],
  plan: ["depends_on"],
  mem: ["supersedes", "parent_mem_id"],
}
