import { isAbsolute, join, relative } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import type { MappedFile, SymbolRecord, TodoRecord } from "../../schemas/codemap.ts"
import { HiveError } from "../../shared/error.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { type CodeMap, codeMapOf, type OnProgress } from "./code-map.ts"
import { dependentsOf, type Edge, findCycles } from "./import-graph.ts"
import { findInconsistencies } from "./inconsistencies.ts"
import { diffSince } from "./stored-map.ts"

/** Other rooms import the code map only from this file, so that the bundler makes one lazily loaded chunk of it. */
export { codeFactsFor, codeMapOf } from "./code-map.ts"
export { hasParser } from "./parser.ts"

export type CodeScan = Awaited<ReturnType<typeof scanCode>>

/** Brings the code map up to date and returns all of it, or only the file or folder at `path`. */
export async function scanCode(hive: Hive, path?: string, onProgress?: OnProgress) {
  const codeMap = codeMapOf(hive)
  const map = await codeMap.scan(onProgress)
  const graph = await codeMap.graphOf(map)
  const isWithin = within(hive, map, path)
  const cycles = await runInSlices(findCycles(graph))
  return {
    ...(await runInSlices(contentOf(map, isWithin))),
    edges: graph.edges.filter(({ from }) => isWithin(from)),
    cycles: cycles.filter((cycle) => cycle.some(isWithin)),
    unresolved: graph.unresolved.filter(({ from }) => isWithin(from)),
    /** The number of files that changed between the previous scan and this one. */
    changed: map.before.size,
    notes: map.notes.filter((note) => isWithin(note.path)),
    limit: limitOf(map),
    has_parser: map.hasParser,
  }
}

interface Content {
  files: { path: string; language: string; bytes: number; comments: number }[]
  exports: FoundSymbol[]
  todos: (TodoRecord & { file: string })[]
}

function* contentOf({ files }: CodeMap, isWithin: (file: string) => boolean): Pausing<Content> {
  const found: Content = { files: [], exports: [], todos: [] }
  for (const { path: file, language, bytes, comments = [], exports = [], todos = [] } of files.values()) {
    yield
    if (!isWithin(file)) continue
    found.files.push({ path: file, language, bytes, comments: comments.length })
    for (const each of exports) found.exports.push({ file, ...each })
    for (const each of todos) found.todos.push({ file, ...each })
  }
  return found
}

export async function diffCode(hive: Hive) {
  const map = await codeMapOf(hive).refresh()
  return { since: map.scannedAt, files: diffSince(map), limit: limitOf(map) }
}

export async function inconsistenciesIn(hive: Hive, path?: string) {
  const { map, graph } = await upToDate(hive)
  const isWithin = within(hive, map, path)
  const found = await runInSlices(findInconsistencies(hive.dir, map, graph))
  return { found: found.filter(({ file }) => isWithin(file)), limit: limitOf(map) }
}

export async function todosInCode(hive: Hive, path?: string) {
  const map = await codeMapOf(hive).refresh()
  const { todos } = await runInSlices(contentOf(map, within(hive, map, path)))
  return { todos, limit: limitOf(map) }
}

async function upToDate(hive: Hive) {
  const codeMap = codeMapOf(hive)
  const map = await codeMap.refresh()
  return { map, graph: await codeMap.graphOf(map) }
}

export type FileGraph = Awaited<ReturnType<typeof graphAround>>

export async function graphAround(hive: Hive, path: string) {
  const { map, graph } = await upToDate(hive)
  const inside = toProject(hive, path)
  const file = map.files.get(inside)
  if (file === undefined && !graph.dependents.has(inside)) throw unknownPath(path, map)
  const imports: Edge[] = graph.dependencies.get(inside) ?? []
  return {
    path: inside,
    imports,
    /** Files that may break when this file is changed, nearest first. */
    dependents: dependentsOf(graph, inside),
    exports: file?.exports ?? [],
    todos: file?.todos ?? [],
    limit: limitOf(map),
    has_parser: map.hasParser,
  }
}

export async function graphOverview(hive: Hive) {
  const { map, graph } = await upToDate(hive)
  const used = [...graph.dependents].map(([path, edges]) => ({ path, dependents: edges.length }))
  used.sort((a, b) => b.dependents - a.dependents || (a.path < b.path ? -1 : 1))
  return {
    files: map.files.size,
    edges: graph.edges.length,
    most_used: used,
    cycles: await runInSlices(findCycles(graph)),
    unresolved: graph.unresolved,
    limit: limitOf(map),
    has_parser: map.hasParser,
  }
}

function within(hive: Hive, map: CodeMap, path = ""): (file: string) => boolean {
  const inside = toProject(hive, path)
  if (inside === "") return () => true
  const isWithin = (file: string) => file === inside || file.startsWith(`${inside}/`)
  if (!map.listed.some(isWithin)) throw unknownPath(path, map)
  return isWithin
}

function toProject({ dir }: Hive, path: string): string {
  const inside = relative(dir, isAbsolute(path) ? path : join(dir, path))
  return inside.replaceAll("\\", "/").replace(/\/$/, "")
}

function unknownPath(path: string, map: CodeMap): HiveError {
  const name = path.split("/").at(-1) ?? path
  const like = map.listed.filter((each) => each.includes(name)).slice(0, 3)
  return new HiveError({
    code: "not_found",
    what: `The code map has no ${path}.`,
    why: "The project has no such file, or git ignores it.",
    use_instead:
      like.length > 0
        ? `Use one of: ${like.join(", ")}.`
        : "Give a file's path relative to the project's folder.",
    evidence: `${map.files.size} files mapped`,
  })
}

/** Says why an answer is incomplete and how to complete it; null if it is complete. */
function limitOf({ hasParser, stopped }: CodeMap): string | null {
  if (!hasParser)
    return "There is no parser for TypeScript and JavaScript here: only comments and todos are listed. The user can install it with `hivemind scan codemap --install`."
  return stopped === null ? null : `Not all files are listed: the list ended ${stopped}.`
}

export interface FoundSymbol extends SymbolRecord {
  file: string
}

/** Finds the symbols that a query names, exported ones first. Of several words, only those that look like code are names. */
export async function symbolsNamed(hive: Hive, query: string): Promise<FoundSymbol[]> {
  const words = namesIn(query)
  const files = words.size === 0 ? undefined : await codeMapOf(hive).known()
  return files === undefined
    ? []
    : (await runInSlices(searchNames(files.values(), words))).slice(0, MAX_SYMBOLS)
}

function namesIn(query: string): Set<string> {
  const words = query.match(/[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)?/gu) ?? []
  const isAlone = query.trim().split(/\s+/).length === 1
  const named = words.filter((word) => isAlone || (word.length >= MIN_CHARS && LIKE_CODE.test(word)))
  return new Set(named.map((word) => word.toLowerCase()))
}

function* searchNames(files: Iterable<MappedFile>, words: ReadonlySet<string>): Pausing<FoundSymbol[]> {
  const isNamed = ({ name }: SymbolRecord) =>
    words.has(name.toLowerCase()) || words.has(name.slice(name.lastIndexOf(".") + 1).toLowerCase())
  const exported: FoundSymbol[] = []
  const others: FoundSymbol[] = []
  for (const { path: file, exports = [], symbols = [] } of files) {
    yield
    for (const each of exports)
      if (each.kind !== "reexport" && isNamed(each)) exported.push({ file, ...each })
    for (const each of symbols) if (isNamed(each)) others.push({ file, ...each })
  }
  return [...exported, ...others]
}

const LIKE_CODE = /[a-z][A-Z]|[A-Za-z]_[A-Za-z]|\w\.\w|[A-Za-z]\d/
const MIN_CHARS = 3
const MAX_SYMBOLS = 8
