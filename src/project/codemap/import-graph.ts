import type { ImportKind, MappedFile } from "../../schemas/codemap.ts"
import type { Pausing } from "../../shared/slices.ts"
import type { Resolve } from "./resolve-imports.ts"

export interface Edge {
  from: string
  to: string
  /** The strongest kind (see STRENGTH), if `from` imports `to` several times. */
  kind: ImportKind
}

export interface Unresolved {
  from: string
  line: number
  spec: string
  kind: ImportKind
}

export interface ImportGraph {
  edges: Edge[]
  unresolved: Unresolved[]
  dependents: Map<string, Edge[]>
  dependencies: Map<string, Edge[]>
}

/** Resolves every import of every file. Several imports of one file by another become one edge. */
export function* importGraph(files: ReadonlyMap<string, MappedFile>, resolve: Resolve): Pausing<ImportGraph> {
  const graph: ImportGraph = { edges: [], unresolved: [], dependents: new Map(), dependencies: new Map() }
  for (const { path, imports = [] } of files.values()) {
    const targets = new Map<string, ImportKind>()
    for (const { spec, kind, line } of imports) {
      yield
      const target = resolve(path, spec)
      if (target === "missing") graph.unresolved.push({ from: path, line, spec, kind })
      if (typeof target === "string" || target.file === path) continue
      const known = targets.get(target.file)
      if (known === undefined || STRENGTH.indexOf(kind) < STRENGTH.indexOf(known))
        targets.set(target.file, kind)
    }
    for (const [to, kind] of targets) {
      const edge = { from: path, to, kind }
      graph.edges.push(edge)
      addTo(graph.dependents, to, edge)
      addTo(graph.dependencies, path, edge)
    }
  }
  return graph
}

function addTo(edges: Map<string, Edge[]>, path: string, edge: Edge): void {
  const known = edges.get(path)
  if (known === undefined) edges.set(path, [edge])
  else known.push(edge)
}

export interface Dependent {
  path: string
  distance: number
  kind: ImportKind
  /** The file that `path` imports on a shortest import chain to the file whose dependents are listed. */
  through: string
}

/** All files that import the file at `path` directly or indirectly, nearest first. */
export function dependentsOf({ dependents }: ImportGraph, path: string): Dependent[] {
  const seen = new Set([path])
  const found: Dependent[] = []
  let level = [path]
  for (let distance = 1; level.length > 0; distance++) {
    const next: Dependent[] = []
    for (const through of level)
      for (const { from, kind } of dependents.get(through) ?? [])
        if (!seen.has(from)) {
          seen.add(from)
          next.push({ path: from, distance, kind, through })
        }
    next.sort((a, b) => (a.path < b.path ? -1 : 1))
    found.push(...next)
    level = next.map((each) => each.path)
  }
  return found
}

/** A shortest import cycle for each group of files that all import each other indirectly. Type imports do not count. */
export function* findCycles({ dependencies, dependents }: ImportGraph): Pausing<string[][]> {
  const atRunTime = (edges: readonly Edge[] = []) => edges.filter(({ kind }) => kind !== "type")
  const imported = (path: string) => atRunTime(dependencies.get(path)).map(({ to }) => to)
  const importers = (path: string) => atRunTime(dependents.get(path)).map(({ from }) => from)
  const cycles: string[][] = []
  for (const group of yield* strongGroups(dependencies.keys(), imported, importers)) {
    yield
    const members = new Set(group)
    const [first = ""] = group.sort()
    cycles.push(shortestCycle(first, (path) => imported(path).filter((each) => members.has(each))))
  }
  return cycles.sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1))
}

type Next = (path: string) => string[]

/** Strongly connected components of at least two files (Kosaraju), without recursion: import chains may be long. */
function* strongGroups(paths: Iterable<string>, imported: Next, importers: Next): Pausing<string[][]> {
  const finished: string[] = []
  const seen = new Set<string>()
  for (const root of paths) {
    const open = seen.has(root) ? [] : [{ path: root, rest: imported(root) }]
    seen.add(root)
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      yield
      const next = top.rest.pop()
      if (next === undefined) finished.push(open.pop()?.path ?? "")
      else if (!seen.has(next)) {
        seen.add(next)
        open.push({ path: next, rest: imported(next) })
      }
    }
  }
  const groups: string[][] = []
  const grouped = new Set<string>()
  for (const root of finished.reverse()) {
    const group: string[] = []
    const open = [root]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      yield
      if (grouped.has(path)) continue
      grouped.add(path)
      group.push(path)
      open.push(...importers(path))
    }
    if (group.length > 1) groups.push(group)
  }
  return groups
}

function shortestCycle(start: string, next: Next): string[] {
  const waysTo = new Map([[start, [start]]])
  for (const [path, way] of waysTo) {
    for (const to of next(path)) {
      if (to === start) return way
      if (!waysTo.has(to)) waysTo.set(to, [...way, to])
    }
  }
  return [start]
}

const STRENGTH: readonly ImportKind[] = ["import", "reexport", "require", "dynamic", "type"]
