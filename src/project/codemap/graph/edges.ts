import type { ImportKind, MappedFile } from "../../../schemas/codemap.ts"
import type { Pausing } from "../../../shared/slices.ts"
import type { Target } from "../resolve/resolver.ts"

/** One file takes in another. */
export interface Edge {
  from: string
  to: string
  /** The strongest way, where there are several. */
  kind: ImportKind
}

export interface Unresolved {
  from: string
  line: number
  spec: string
  kind: ImportKind
}

export type Resolve = (from: string, spec: string) => Target

export interface ImportGraph {
  edges: Edge[]
  unresolved: Unresolved[]
  /** By file: who takes it in. */
  dependents: Map<string, Edge[]>
  /** By file: what it takes in. */
  dependencies: Map<string, Edge[]>
}

/** Follows every import of every file. Two files have one edge, however many imports there are between them. */
export function* importGraph(files: ReadonlyMap<string, MappedFile>, resolve: Resolve): Pausing<ImportGraph> {
  const graph: ImportGraph = { edges: [], unresolved: [], dependents: new Map(), dependencies: new Map() }
  for (const file of files.values())
    for (const edge of yield* edgesFrom(file, resolve, graph.unresolved)) addEdge(graph, edge)
  return graph
}

/** What one file takes in; what should be there and is not is added to `unresolved`. */
export function* edgesFrom(
  { path, imports = [] }: MappedFile,
  resolve: Resolve,
  unresolved: Unresolved[],
): Pausing<Edge[]> {
  const to = new Map<string, ImportKind>()
  for (const { spec, kind, line } of imports) {
    yield
    const target = resolve(path, spec)
    if (target === "missing") unresolved.push({ from: path, line, spec, kind })
    if (typeof target === "string" || target.file === path) continue
    const known = to.get(target.file)
    if (known === undefined || STRENGTH.indexOf(kind) < STRENGTH.indexOf(known)) to.set(target.file, kind)
  }
  return Array.from(to, ([file, kind]) => ({ from: path, to: file, kind }))
}

function addEdge({ edges, dependents, dependencies }: ImportGraph, edge: Edge): void {
  edges.push(edge)
  const [incoming, outgoing] = [dependents.get(edge.to), dependencies.get(edge.from)]
  if (incoming === undefined) dependents.set(edge.to, [edge])
  else incoming.push(edge)
  if (outgoing === undefined) dependencies.set(edge.from, [edge])
  else outgoing.push(edge)
}

const STRENGTH: readonly ImportKind[] = ["import", "reexport", "require", "dynamic", "type"]
