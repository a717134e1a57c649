import { createHash } from "node:crypto"
import type { Hive } from "../../hive/hive.ts"
import type { MappedFile } from "../../schemas/codemap.ts"
import { createQueue } from "../../shared/queue.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { projectFile } from "../../store/files/project-file.ts"
import { type FileNote, listProjectFiles, type ProjectFile } from "../files/list-files.ts"
import { changesTo, type FileBefore } from "./changes.ts"
import { changedGraph } from "./graph/changed-graph.ts"
import { type ImportGraph, importGraph, type Resolve } from "./graph/edges.ts"
import { filesAt } from "./known-files.ts"
import { loadParser, type Parser } from "./parser.ts"
import { type FileTree, fileTree } from "./resolve/file-tree.ts"
import { resolver } from "./resolve/resolver.ts"
import { scanFiles } from "./scan-files.ts"
import { readStored, type StoredMap, storedLines } from "./stored-map.ts"

/** What is known of a project's code, as of the last look at it. */
export interface CodeMap {
  files: ReadonlyMap<string, MappedFile>
  /** As they were at the last scan that somebody asked for, if they have changed since; null: not there. */
  before: ReadonlyMap<string, FileBefore>
  /** All files of the project, code or not: what an import can lead to. */
  listed: readonly string[]
  /** Another one tells that imports may lead elsewhere: files came or went, or a configuration has changed. */
  basis: string
  notes: readonly FileNote[]
  stopped: string | null
  /** False where nothing can read TypeScript and JavaScript: then there are comments and todos only. */
  hasParser: boolean
  /** When somebody last asked for a scan, in ms; null: never. */
  scannedAt: number | null
}

export type OnProgress = (done: number, total: number) => void

/** The code map of a hive's worktree: kept in memory once it is used, and in `project/codemap.json`. One look at a time. */
function openCodeMap(hive: Hive) {
  const { home, dir, source } = hive
  const file = projectFile(hivePaths(home), "codemap", { home, dir })
  const queue = createQueue()
  let stored: Promise<StoredMap | undefined> | undefined
  let parser: Promise<Parser | undefined> | undefined
  let current: CodeMap | undefined
  let graph: { of: CodeMap; made: Promise<MadeGraph> } | undefined
  /** The file has not what is known since the last look at single files. */
  let isBehind = false

  async function look(isAsked: boolean, onProgress?: OnProgress): Promise<CodeMap> {
    stored ??= file.read().then(readStored)
    parser ??= loadParser(dir)
    const [last, found, listed] = await Promise.all([stored, parser, listProjectFiles(dir)])
    // A parser may be installed while the host runs.
    if (found === undefined) parser = undefined
    const known = current?.files ?? last?.files ?? new Map<string, MappedFile>()
    const before = current?.before ?? last?.before ?? new Map<string, FileBefore>()
    const scanned = await scanFiles({ dir, listed: listed.files, known, parser: found, onProgress })
    const changed = await runInSlices(changesTo(known, scanned.files, before))
    const isSame =
      (current ?? last) !== undefined && !isBehind && !changed.isChanged && (!isAsked || before.size === 0)
    current = {
      // The same one where nothing has changed: what was made of it still holds.
      files: changed.isChanged ? scanned.files : (current?.files ?? scanned.files),
      before: isAsked ? new Map() : changed.before,
      listed: listed.files.map(({ path }) => path),
      basis: await runInSlices(basisOf(listed.files)),
      notes: [...listed.notes, ...scanned.notes],
      stopped: listed.stopped,
      hasParser: found !== undefined,
      scannedAt: isAsked ? source.now() : (current?.scannedAt ?? last?.scannedAt ?? null),
    }
    stored = Promise.resolve(undefined)
    if (!isSame) await file.write(storedLines(current), (value) => "path" in value)
    isBehind = false
    return isAsked ? { ...current, before: changed.before } : current
  }

  /** At these files alone, in a time that does not grow with the project. The next whole look brings it to the disk. */
  async function lookAt(paths: readonly string[]): Promise<CodeMap> {
    const last = current
    const found = last === undefined ? undefined : await filesAt(dir, paths, last.files)
    if (last === undefined || found === undefined) return look(false)
    const scanned = await scanFiles({ dir, listed: found.files, known: last.files, parser: await parser })
    const told = new Set([...found.gone, ...found.files.map(({ path }) => path)])
    const known = new Map([...told].flatMap((path) => entryOf(last.files, path)))
    const changed = await runInSlices(changesTo(known, scanned.files, last.before, false))
    if (!changed.isChanged) return last
    const files = new Map(last.files)
    for (const path of told) files.delete(path)
    for (const [path, file] of scanned.files) files.set(path, file)
    isBehind = true
    current = {
      ...last,
      files,
      before: changed.before,
      notes: [...last.notes.filter(({ path }) => !told.has(path)), ...scanned.notes],
    }
    return current
  }

  return {
    /** Reads what has changed since the last look. `before` is what has changed since the last scan. */
    scan: (onProgress?: OnProgress): Promise<CodeMap> => queue.run(() => look(true, onProgress)),
    /** The same without calling it a scan: what has changed since the last one stays on record. */
    refresh: (): Promise<CodeMap> => queue.run(() => look(false)),
    /** What has changed in these files, as they are said to have. Where nobody has looked at all, at everything. */
    refreshFiles: (paths: readonly string[]): Promise<CodeMap> => queue.run(() => lookAt(paths)),
    /** As it was when somebody last looked; undefined where nobody has, in this process. */
    current: () => current,
    /** The files as of the last look, in this process or another; undefined where there was none. Looks at nothing. */
    async known(): Promise<ReadonlyMap<string, MappedFile> | undefined> {
      stored ??= file.read().then(readStored)
      const kept = await stored
      return current?.files ?? kept?.files
    },
    hasFile: () => file.exists(),
    /** Who takes in whom, made when it is first asked for. */
    graphOf(map: CodeMap): Promise<MadeGraph> {
      if (graph?.of.files !== map.files || graph.of.basis !== map.basis) {
        const last = graph?.of.basis === map.basis ? graph : undefined
        graph = { of: map, made: last === undefined ? makeGraph(dir, map) : remakeGraph(dir, last, map) }
        // Nothing stays of one that could not be made.
        graph.made.catch(() => {
          graph = undefined
        })
      }
      return graph.made
    },
  }
}

export type OpenCodeMap = ReturnType<typeof openCodeMap>

/** That of a hive: the same one for all who ask in this process. */
export function codeMapOf(hive: Hive): OpenCodeMap {
  const known = opened.get(hive)
  if (known !== undefined) return known
  const made = openCodeMap(hive)
  opened.set(hive, made)
  return made
}

function* basisOf(files: readonly ProjectFile[]): Pausing<string> {
  const hash = createHash("sha1")
  for (const { path, signature } of files) {
    yield
    hash.update(path.endsWith(".json") ? `${path} ${signature}\n` : `${path}\n`)
  }
  return hash.digest("hex")
}

type MadeGraph = ImportGraph & { tree: FileTree; resolve: Resolve }

async function makeGraph(dir: string, map: CodeMap): Promise<MadeGraph> {
  const tree = fileTree(dir, map.listed)
  const { resolve } = resolver(dir, tree)
  return { ...(await runInSlices(importGraph(map.files, resolve))), tree, resolve }
}

/** Of the last one, where no request can lead elsewhere since. */
async function remakeGraph(
  dir: string,
  last: { of: CodeMap; made: Promise<MadeGraph> },
  map: CodeMap,
): Promise<MadeGraph> {
  const { tree, resolve, ...graph } = await last.made
  const changed = await runInSlices(changedGraph(graph, last.of.files, map.files, resolve))
  return changed === undefined ? makeGraph(dir, map) : { ...changed, tree, resolve }
}

function entryOf<T>(map: ReadonlyMap<string, T>, path: string): [string, T][] {
  const value = map.get(path)
  return value === undefined ? [] : [[path, value]]
}

const opened = new WeakMap<Hive, OpenCodeMap>()
