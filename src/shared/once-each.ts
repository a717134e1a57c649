/** True the first time an id is seen. The host tells most things several times, all within a moment. */
export function onceEach(): (id: string) => boolean {
  const seen = new Set<string>()
  return (id) => {
    if (seen.has(id)) return false
    seen.add(id)
    if (seen.size > MAX_SEEN) forgetOldest(seen)
    return true
  }
}

/** Not all at once: what came a moment ago may be told again, or be still under way. */
export function forgetOldest(ids: { keys(): Iterator<string>; delete(id: string): boolean }): void {
  const { value, done } = ids.keys().next()
  if (!done) ids.delete(value)
}

const MAX_SEEN = 1000
