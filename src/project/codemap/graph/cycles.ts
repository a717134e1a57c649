import type { Pausing } from "../../../shared/slices.ts"
import type { Edge, ImportGraph } from "./edges.ts"

/**
 * Circles of imports, a shortest one for each group of files that all reach each other. Imports of types are gone when
 * the program runs, and close no circle.
 */
export function* findCycles({ dependencies }: Pick<ImportGraph, "dependencies">): Pausing<string[][]> {
  const next = (path: string) => (dependencies.get(path) ?? []).filter(atRunTime).map(({ to }) => to)
  const cycles: string[][] = []
  for (const group of yield* groupsOf([...dependencies.keys()], next)) {
    yield
    const members = new Set(group)
    const [first] = [...group].sort()
    if (first !== undefined)
      cycles.push(shortestFrom(first, (path) => next(path).filter((each) => members.has(each))))
  }
  return cycles.sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1))
}

function atRunTime({ kind }: Edge): boolean {
  return kind !== "type"
}

/** Tarjan's strongly connected components, without recursion: a chain of imports may be long. Only those of several files. */
function* groupsOf(paths: readonly string[], next: (path: string) => string[]): Pausing<string[][]> {
  const groups: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  for (const root of paths) {
    if (order.has(root)) continue
    const open: { path: string; rest: string[] }[] = []
    const enter = (path: string) => {
      order.set(path, order.size)
      lowest.set(path, order.size - 1)
      stack.push(path)
      onStack.add(path)
      open.push({ path, rest: next(path) })
    }
    enter(root)
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      yield
      const to = top.rest.pop()
      if (to === undefined) {
        open.pop()
        const low = lowest.get(top.path) ?? 0
        const above = open.at(-1)
        if (above !== undefined) lowest.set(above.path, Math.min(lowest.get(above.path) ?? 0, low))
        if (low !== order.get(top.path)) continue
        const group = stack.splice(stack.lastIndexOf(top.path))
        for (const each of group) onStack.delete(each)
        if (group.length > 1) groups.push(group)
      } else if (!order.has(to)) enter(to)
      else if (onStack.has(to)) lowest.set(top.path, Math.min(lowest.get(top.path) ?? 0, order.get(to) ?? 0))
    }
  }
  return groups
}

/** The shortest way from a file back to itself. */
function shortestFrom(start: string, next: (path: string) => string[]): string[] {
  const cameFrom = new Map<string, string>()
  let edge = [start]
  while (edge.length > 0) {
    const further: string[] = []
    for (const path of edge) {
      for (const to of next(path)) {
        if (to === start) return wayTo(path, start, cameFrom)
        if (cameFrom.has(to)) continue
        cameFrom.set(to, path)
        further.push(to)
      }
    }
    edge = further
  }
  return [start]
}

function wayTo(last: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [last]
  for (let at = last; at !== start; ) {
    at = cameFrom.get(at) ?? start
    way.unshift(at)
  }
  return way
}
