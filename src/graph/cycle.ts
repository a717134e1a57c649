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

function trail(start: string, last: string, cameFrom: Map<string, string>): string[] {
  const ids = [start]
  for (let id: string | undefined = last; id !== undefined && id !== start; id = cameFrom.get(id))
    ids.unshift(id)
  return [start, ...ids]
}
