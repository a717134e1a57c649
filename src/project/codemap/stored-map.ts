import * as z from "zod"
import { tryParse } from "../../schemas/checked.ts"
import { type MappedFile, mappedFile } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"

/** A file as it was at the last scan; null if it did not exist. */
export type FileBefore = MappedFile | null

type MappedFiles = ReadonlyMap<string, MappedFile>

export interface StoredMap {
  files: MappedFiles
  /** The earlier state of each file that has changed since the last scan. */
  before: ReadonlyMap<string, FileBefore>
  scannedAt: number | null
}

/** The lines of the map's file: a header, one line per source file, and one with the earlier state of each changed file. */
export function* storedLines({ files, before, scannedAt }: StoredMap): Generator<object, void, void> {
  yield { format: FORMAT, scanned_at: scannedAt }
  yield* files.values()
  for (const [path, was] of before) yield { before: path, was }
}

/** Parses a stored map; undefined if it has another format. Skips damaged lines, so that their files are read again. */
export async function readStored(lines: unknown[] | undefined): Promise<StoredMap | undefined> {
  const [head, ...rest] = lines ?? []
  const known = tryParse(headLine, head).data
  return known === undefined ? undefined : runInSlices(readLines(rest, known.scanned_at))
}

function* readLines(lines: readonly unknown[], scannedAt: number | null): Pausing<StoredMap> {
  const [files, before] = [new Map<string, MappedFile>(), new Map<string, FileBefore>()]
  for (const line of lines) {
    yield
    const file = tryParse(mappedFile, line).data
    const earlier = file === undefined ? tryParse(beforeLine, line).data : undefined
    if (file !== undefined) files.set(file.path, file)
    else if (earlier !== undefined) before.set(earlier.before, earlier.was)
  }
  return { files, before, scannedAt }
}

/** Adds the earlier state of each changed file to `before`, and removes files that have their old content again. */
export function* changesSince(known: MappedFiles, now: MappedFiles, before: StoredMap["before"]) {
  // The first scan has nothing to compare with.
  const isFirst = known.size === 0
  const kept = new Map(before)
  let isChanged = false
  for (const path of new Set([...known.keys(), ...now.keys()])) {
    yield
    const [old, file] = [known.get(path), now.get(path)]
    if (old === file) continue
    isChanged = true
    if (old?.hash === file?.hash || isFirst) continue
    if (!kept.has(path)) kept.set(path, old ?? null)
    if (kept.get(path)?.hash === file?.hash) kept.delete(path)
  }
  return { before: kept, isChanged }
}

export interface FileDiff {
  path: string
  change: "added" | "removed" | "changed"
  exports_added: string[]
  exports_removed: string[]
  exports_changed: string[]
  imports_added: string[]
  imports_removed: string[]
  todos_added: string[]
  todos_removed: string[]
}

export function diffSince({ before, files }: Pick<StoredMap, "before" | "files">): FileDiff[] {
  const diffs = [...before].map(([path, was]) => fileDiff(path, was ?? undefined, files.get(path)))
  return diffs.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function fileDiff(path: string, old: MappedFile | undefined, now: MappedFile | undefined): FileDiff {
  const [before, after] = [signaturesOf(old), signaturesOf(now)]
  const exports = difference([...before.keys()], [...after.keys()])
  const importsOf = (file: MappedFile | undefined) => (file?.imports ?? []).map(({ spec }) => spec)
  const todosOf = (file: MappedFile | undefined) =>
    (file?.todos ?? []).map(({ tag, text }) => `${tag} ${text}`)
  const imports = difference(importsOf(old), importsOf(now))
  const todos = difference(todosOf(old), todosOf(now))
  return {
    path,
    change: old === undefined ? "added" : now === undefined ? "removed" : "changed",
    exports_added: exports.added,
    exports_removed: exports.removed,
    exports_changed: [...after].flatMap(([name, text]) => ((before.get(name) ?? text) === text ? [] : name)),
    imports_added: imports.added,
    imports_removed: imports.removed,
    todos_added: todos.added,
    todos_removed: todos.removed,
  }
}

/** The signatures of a file's exports by name; those of overloads are joined. */
function signaturesOf(file: MappedFile | undefined): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, signature = "" } of file?.exports ?? [])
    found.set(name, `${found.get(name) ?? ""}\n${signature}`)
  return found
}

function difference(old: readonly string[], now: readonly string[]) {
  const [before, after] = [new Set(old), new Set(now)]
  return {
    added: [...after].filter((each) => !before.has(each)),
    removed: [...before].filter((each) => !after.has(each)),
  }
}

// Increase this when files are read differently: maps in an older format are then made again.
const FORMAT = 7
const headLine = z.object({ format: z.literal(FORMAT), scanned_at: z.number().nullable() })
const beforeLine = z.object({ before: z.string(), was: mappedFile.nullable() })
