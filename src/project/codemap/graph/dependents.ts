import type { ImportKind } from "../../../schemas/codemap.ts"
import type { Edge } from "./edges.ts"

/** A file that may break when another is changed. */
export interface Dependent {
  path: string
  /** How many imports lie between. */
  distance: number
  kind: ImportKind
  /** The file through which it is reached, nearer to the changed one. */
  through: string
}

/** All that take in a file, directly or through others, the nearest first. */
export function dependentsOf(dependents: ReadonlyMap<string, readonly Edge[]>, path: string): Dependent[] {
  const seen = new Set([path])
  const found: Dependent[] = []
  let edge = [path]
  for (let distance = 1; edge.length > 0; distance++) {
    const next: Dependent[] = []
    for (const through of edge) {
      for (const { from, kind } of dependents.get(through) ?? []) {
        if (seen.has(from)) continue
        seen.add(from)
        next.push({ path: from, distance, kind, through })
      }
    }
    next.sort((a, b) => (a.path < b.path ? -1 : 1))
    found.push(...next)
    edge = next.map(({ path: each }) => each)
  }
  return found
}
