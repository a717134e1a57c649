/** The fields that differ between two versions of a record; undefined where none does. */
export function changeBetween<T extends object>(
  before: T,
  after: T,
  fields: readonly string[] = Object.keys(after),
): { to: Partial<T>; was: Partial<T> } | undefined {
  const to: Partial<T> = {}
  const was: Partial<T> = {}
  // Object.keys forgets that these are the keys of a T.
  for (const field of fields as readonly (keyof T)[]) {
    if (field === "id" || isSame(before[field], after[field])) continue
    to[field] = after[field]
    was[field] = before[field]
  }
  return Object.keys(to).length > 0 ? { to, was } : undefined
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
