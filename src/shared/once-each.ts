/** True the first time an id is seen. Hosts report most events several times in a row. */
export function onceEach(): (id: string) => boolean {
  const seen = new Set<string>()
  return (id) => {
    if (seen.has(id)) return false
    seen.add(id)
    if (seen.size > MAX_SEEN) forgetOldest(seen)
    return true
  }
}

/** Only the oldest: newer events may come again, or still be under way. */
export function forgetOldest(ids: { keys(): Iterator<string>; delete(id: string): boolean }): void {
  const { value, done } = ids.keys().next()
  if (!done) ids.delete(value)
}

const MAX_SEEN = 1000
