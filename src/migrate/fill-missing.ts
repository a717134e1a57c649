import type { AnyRecord } from "../schemas/records.ts"

type Fields = Readonly<Record<string, unknown>>

/** What another copy of a record knows that this one does not: fields that are empty here, and more tags. */
export function fillMissing(there: AnyRecord, other: Fields): Fields | undefined {
  const missing: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(other)) {
    if (FIXED.has(name) || isEmpty(value)) continue
    const known = (there as Fields)[name]
    if (name === "tags" && Array.isArray(known) && Array.isArray(value)) {
      const more = value.filter((tag) => !known.includes(tag))
      if (more.length > 0) missing[name] = [...known, ...more]
    } else if (isEmpty(known)) missing[name] = value
  }
  return Object.keys(missing).length > 0 ? missing : undefined
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

// What one copy does not have because it stands elsewhere must not come from another.
const FIXED: ReadonlySet<string> = new Set([
  "id",
  "branch",
  "stale_at",
  "parent_task_id",
  "depends_on",
  "completed_at",
])
