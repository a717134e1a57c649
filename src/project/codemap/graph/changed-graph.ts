import type { MappedFile } from "../../../schemas/codemap.ts"
import type { Pausing } from "../../../shared/slices.ts"
import { edgesFrom, type ImportGraph, type Resolve } from "./edges.ts"

type Files = ReadonlyMap<string, MappedFile>

/**
 * The graph after some files have changed, where every request still leads where it did: only theirs are followed. The
 * last one stays as it is, as somebody may be reading it. Undefined where so many have changed that it is made anew.
 */
export function* changedGraph(
  last: ImportGraph,
  before: Files,
  now: Files,
  resolve: Resolve,
): Pausing<ImportGraph | undefined> {
  const changed = yield* changedPaths(before, now)
  if (changed.size > MAX_CHANGED) return undefined
  const isKept = ({ from }: { from: string }) => !changed.has(from)
  const edges = last.edges.filter(isKept)
  const unresolved = last.unresolved.filter(isKept)
  yield
  const dependents = new Map(last.dependents)
  yield
  const dependencies = new Map(last.dependencies)
  for (const path of changed) {
    yield
    for (const { to } of last.dependencies.get(path) ?? []) {
      const left = (dependents.get(to) ?? []).filter(isKept)
      if (left.length > 0) dependents.set(to, left)
      else dependents.delete(to)
    }
    const file = now.get(path)
    const added = file === undefined ? [] : yield* edgesFrom(file, resolve, unresolved)
    if (added.length > 0) dependencies.set(path, added)
    else dependencies.delete(path)
  }
  // After all that went: a file may take in another that has changed as well.
  for (const path of changed)
    for (const edge of dependencies.get(path) ?? []) {
      edges.push(edge)
      dependents.set(edge.to, [...(dependents.get(edge.to) ?? []), edge])
    }
  return { edges, unresolved, dependents, dependencies }
}

function* changedPaths(before: Files, now: Files): Pausing<Set<string>> {
  const changed = new Set<string>()
  let seen = 0
  for (const [path, file] of now) {
    if (before.get(path) !== file) changed.add(path)
    if (++seen % PAUSE_EVERY === 0) yield
  }
  for (const path of before.keys()) {
    if (!now.has(path)) changed.add(path)
    if (++seen % PAUSE_EVERY === 0) yield
  }
  return changed
}

// A pause takes longer than a look into a map.
const PAUSE_EVERY = 500
// Each goes through those who take in the same files.
const MAX_CHANGED = 200
