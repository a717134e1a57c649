/** The ids of a circle that leads from `start` back to itself, or undefined. Iterative: chains can be long. */
export function findCycle(start: string, next: (id: string) => string[]): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const target of next(id)) {
      if (target === start) return trail(start, id, cameFrom)
      if (cameFrom.has(target)) continue
      cameFrom.set(target, id)
      open.push(target)
    }
  }
  return undefined
}

/** True if one of these is in a circle, or leads into one. Each id is looked at once. */
export function leadsIntoCycle(starts: readonly string[], next: (id: string) => string[]): boolean {
  const isOver = new Map<string, boolean>()
  for (const start of starts) {
    const open = [start]
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      // Seen the second time, all that it leads to is done.
      if (isOver.has(id)) {
        isOver.set(id, true)
        open.pop()
        continue
      }
      isOver.set(id, false)
      for (const target of next(id)) {
        if (isOver.get(target) === false) return true
        if (!isOver.has(target)) open.push(target)
      }
    }
  }
  return false
}

function trail(start: string, last: string, cameFrom: Map<string, string>): string[] {
  const ids = [start]
  for (let id: string | undefined = last; id !== undefined && id !== start; id = cameFrom.get(id))
    ids.unshift(id)
  return [start, ...ids]
}
