/** True the first time an id is seen. The host tells most things several times, all within a moment. */
export function onceEach(): (id: string) => boolean {
  const seen = new Set<string>()
  return (id) => {
    if (seen.has(id)) return false
    if (seen.size >= MAX_SEEN) seen.clear()
    seen.add(id)
    return true
  }
}

const MAX_SEEN = 1000
