import { isAbsolute, join, relative } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import type { MappedFile, SymbolRecord, TodoRecord } from "../../schemas/codemap.ts"
import { HiveError } from "../../shared/error.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { FileNote } from "../files/list-files.ts"
import { diffSince, type FileDiff } from "./changes.ts"
import { type CodeMap, codeMapOf, type OnProgress } from "./code-map.ts"
import { findCycles } from "./graph/cycles.ts"
import { type Dependent, dependentsOf } from "./graph/dependents.ts"
import type { Edge, Unresolved } from "./graph/edges.ts"
import { findInconsistencies, type Inconsistency } from "./inconsistencies.ts"

/** A scan of the whole project, or of a part of it. */
export interface CodeScan {
  files: { path: string; language: string; bytes: number; comments: number }[]
  edges: Edge[]
  exports: (SymbolRecord & { file: string })[]
  todos: (TodoRecord & { file: string })[]
  /** Each a way from a file back to itself. */
  cycles: string[][]
  unresolved: Unresolved[]
  /** How many files have changed since the last scan. */
  changed: number
  notes: FileNote[]
  /** Why there is less than there could be, and what to do about it; null where nothing is missing. */
  limit: string | null
}

/** Looks at the code anew. With a path, tells of that file or folder alone. */
export async function scanCode(hive: Hive, path?: string, onProgress?: OnProgress): Promise<CodeScan> {
  const codeMap = codeMapOf(hive)
  const map = await codeMap.scan(onProgress)
  const graph = await codeMap.graphOf(map)
  const isWithin = within(hive, map, path)
  const cycles = await runInSlices(findCycles(graph))
  return {
    ...(await runInSlices(toldBy(map, isWithin))),
    edges: await runInSlices(filtered(graph.edges, ({ from }) => isWithin(from))),
    cycles: cycles.filter((cycle) => cycle.some(isWithin)),
    unresolved: graph.unresolved.filter(({ from }) => isWithin(from)),
    changed: map.before.size,
    notes: map.notes.filter((note) => isWithin(note.path)),
    limit: limitOf(map),
  }
}

/** Of many files there are very many exports: pausing between the files. */
function* toldBy(
  { files }: CodeMap,
  isWithin: (file: string) => boolean,
): Pausing<Pick<CodeScan, "files" | "exports" | "todos">> {
  const told: Pick<CodeScan, "files" | "exports" | "todos"> = { files: [], exports: [], todos: [] }
  for (const { path, language, bytes, comments = [], exports = [], todos = [] } of files.values()) {
    yield
    if (!isWithin(path)) continue
    told.files.push({ path, language, bytes, comments: comments.length })
    for (const each of exports) told.exports.push({ file: path, ...each })
    for (const each of todos) told.todos.push({ file: path, ...each })
  }
  return told
}

function* filtered<T>(all: readonly T[], isKept: (each: T) => boolean): Pausing<T[]> {
  const kept: T[] = []
  for (const each of all) {
    yield
    if (isKept(each)) kept.push(each)
  }
  return kept
}

/** What has changed since the last scan. */
export async function diffCode(
  hive: Hive,
): Promise<{ since: number | null; files: FileDiff[]; limit: string | null }> {
  const map = await codeMapOf(hive).refresh()
  return { since: map.scannedAt, files: diffSince(map.before, map.files), limit: limitOf(map) }
}

export async function inconsistenciesIn(
  hive: Hive,
  path?: string,
): Promise<{ found: Inconsistency[]; limit: string | null }> {
  const codeMap = codeMapOf(hive)
  const map = await codeMap.refresh()
  const graph = await codeMap.graphOf(map)
  const isWithin = within(hive, map, path)
  const found = await runInSlices(findInconsistencies(hive.dir, map, graph, graph.tree))
  return { found: found.filter(({ file }) => isWithin(file)), limit: limitOf(map) }
}

export async function todosInCode(
  hive: Hive,
  path?: string,
): Promise<{ todos: CodeScan["todos"]; limit: string | null }> {
  const map = await codeMapOf(hive).refresh()
  const isWithin = within(hive, map, path)
  return {
    todos: todosOf([...map.files.values()].filter((file) => isWithin(file.path))),
    limit: limitOf(map),
  }
}

export interface FileGraph {
  path: string
  imports: Edge[]
  /** What may break when it is changed, the nearest first. */
  dependents: Dependent[]
  exports: SymbolRecord[]
  todos: TodoRecord[]
  limit: string | null
}

/** What a file takes in, and what may break when it is changed. */
export async function graphAround(hive: Hive, path: string): Promise<FileGraph> {
  const codeMap = codeMapOf(hive)
  const map = await codeMap.refresh()
  const graph = await codeMap.graphOf(map)
  const inside = toProject(hive, path)
  const file = map.files.get(inside)
  if (file === undefined && !graph.dependents.has(inside)) throw unknownPath(path, map)
  return {
    path: inside,
    imports: graph.dependencies.get(inside) ?? [],
    dependents: dependentsOf(graph.dependents, inside),
    exports: file?.exports ?? [],
    todos: file?.todos ?? [],
    limit: limitOf(map),
  }
}

/** The whole graph in short: who is taken in most, and what goes in circles. */
export async function graphOverview(hive: Hive) {
  const codeMap = codeMapOf(hive)
  const map = await codeMap.refresh()
  const graph = await codeMap.graphOf(map)
  const used = [...graph.dependents].map(([path, edges]) => ({ path, dependents: edges.length }))
  used.sort((a, b) => b.dependents - a.dependents || (a.path < b.path ? -1 : 1))
  return {
    files: map.files.size,
    edges: graph.edges.length,
    most_used: used,
    cycles: await runInSlices(findCycles(graph)),
    unresolved: graph.unresolved,
    limit: limitOf(map),
  }
}

function todosOf(files: readonly MappedFile[]): CodeScan["todos"] {
  return files.flatMap(({ path: file, todos = [] }) => todos.map((each) => ({ file, ...each })))
}

function within(hive: Hive, map: CodeMap, path: string | undefined): (file: string) => boolean {
  if (path === undefined) return () => true
  const inside = toProject(hive, path)
  if (inside === "") return () => true
  const isWithin = (file: string) => file === inside || file.startsWith(`${inside}/`)
  if (!map.listed.some(isWithin)) throw unknownPath(path, map)
  return isWithin
}

function toProject(hive: Hive, path: string): string {
  const inside = isAbsolute(path) ? relative(hive.dir, path) : relative(hive.dir, join(hive.dir, path))
  return inside.replaceAll("\\", "/").replace(/\/$/, "")
}

function unknownPath(path: string, map: CodeMap): HiveError {
  const name = path.split("/").at(-1) ?? path
  const like = map.listed.filter((each) => each.includes(name)).slice(0, 3)
  return new HiveError({
    code: "not_found",
    what: `The code map has no ${path}.`,
    why: "No file of the project that git does not ignore has that path.",
    use_instead:
      like.length > 0 ? `Use one of: ${like.join(", ")}.` : "Give a path relative to the project's folder.",
    evidence: `${map.files.size} files mapped`,
  })
}

function limitOf({ hasParser, stopped }: CodeMap): string | null {
  if (!hasParser)
    return "No parser for TypeScript and JavaScript here: comments and todos only. A person can add it with `hivemind codemap --install`."
  return stopped === null ? null : `The list of files ended ${stopped}.`
}
