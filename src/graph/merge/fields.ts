import type { Kind } from "../../schemas/records.ts"
import { isSame } from "../change.ts"
import type { FieldChange, Fields } from "./conflicts.ts"

/**
 * Puts a change over a record that others may have changed meanwhile. A field goes to the last writer; lists of things
 * unite: what the change adds is added, what it takes out is taken out, and the rest stays as the others have made it.
 */
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
      // Who puts a record back knew the time that it goes back from, and so did everybody who has come as far.
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

/** Times are compared as text: all are UTC in one format. */
function later(a: unknown, b: unknown): unknown {
  return String(a) > String(b) ? a : b
}

// Read from a file as a whole.
const REPLACED = new Set(["artifact.sections"])
// What a file holds, the file says: nothing was lost.
const FOUND_IN_FILES = new Set<Kind>(["artifact"])
