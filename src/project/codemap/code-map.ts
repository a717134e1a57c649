import { createHash } from "node:crypto"
import type { Hive } from "../../hive/hive.ts"
import type { CodeFactsLookup, MappedFile } from "../../schemas/codemap.ts"
import { createQueue } from "../../shared/queue.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { projectFile } from "../../store/files/project-file.ts"
import { type FileNote, listProjectFiles, type ProjectFile } from "../files/list-files.ts"
import { type ImportGraph, importGraph } from "./import-graph.ts"
import { loadParser, type Parser } from "./parser.ts"
import { projectPackages } from "./project-packages.ts"
import { readFiles } from "./read-files.ts"
import { importResolver, type Resolve } from "./resolve-imports.ts"
import { changesSince, type FileBefore, readStored, type StoredMap, storedLines } from "./stored-map.ts"

export interface CodeMap extends StoredMap {
  /** The paths of all project files, not only of code, because code can also import a JSON or CSS file. */
  listed: readonly string[]
  /** A hash of all paths and of the JSON files. While it stays the same, every import leads to the same file. */
  basis: string
  notes: readonly FileNote[]
  stopped: string | null
  hasParser: boolean
}

export type OnProgress = (done: number, total: number) => void

/** The code map of a hive's worktree, in memory and in `project/codemap.json`. Updates run one at a time. */
function openCodeMap(hive: Hive) {
  const { home, dir, source } = hive
  const file = projectFile(hivePaths(home), "codemap", { home, dir })
  const queue = createQueue()
  let stored: Promise<StoredMap | undefined> | undefined
  let parser: Promise<Parser | undefined> | undefined
  let current: CodeMap | undefined
  let graph: { of: CodeMap; resolve: Resolve; made: Promise<ImportGraph> } | undefined

  async function refreshAll(isAsked: boolean, onProgress?: OnProgress): Promise<CodeMap> {
    stored ??= file.read().then(readStored)
    parser ??= loadParser(dir)
    const [last, found, listed] = await Promise.all([stored, parser, listProjectFiles(dir)])
    // A missing parser is not remembered, because a user may install one while the host runs.
    if (found === undefined) parser = undefined
    const known = current?.files ?? last?.files ?? new Map<string, MappedFile>()
    const before = current?.before ?? last?.before ?? new Map<string, FileBefore>()
    const scanned = await readFiles({ dir, listed: listed.files, known, parser: found, onProgress })
    const changed = await runInSlices(changesSince(known, scanned.files, before))
    const isSame = (current ?? last) !== undefined && !changed.isChanged && (!isAsked || before.size === 0)
    current = {
      // Without changes the same object is returned, so that graphOf can reuse the import graph it made of it.
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
    return isAsked ? { ...current, before: changed.before } : current
  }

  return {
    /** Reads changed files and starts later diffs at this scan. The returned `before` has the changes since the previous one. */
    scan: (onProgress?: OnProgress): Promise<CodeMap> => queue.run(() => refreshAll(true, onProgress)),
    /** Reads changed files. Later diffs still start at the last scan. */
    refresh: (): Promise<CodeMap> => queue.run(() => refreshAll(false)),
    /** The mapped files, without looking for changes; undefined if there is no map yet. */
    async known(): Promise<ReadonlyMap<string, MappedFile> | undefined> {
      stored ??= file.read().then(readStored)
      const kept = await stored
      return current?.files ?? kept?.files
    },
    hasFile: () => file.exists(),
    /** Builds the import graph. The import resolver is reused while `basis` is the same. */
    graphOf(map: CodeMap): Promise<ImportGraph> {
      if (graph?.of.files !== map.files || graph.of.basis !== map.basis) {
        const resolve =
          graph?.of.basis === map.basis
            ? graph.resolve
            : importResolver(dir, projectPackages(dir, map.listed))
        const made = runInSlices(importGraph(map.files, resolve))
        graph = { of: map, resolve, made }
        // A failed graph is not cached, so that the next call tries again.
        made.catch(() => {
          graph = undefined
        })
      }
      return graph.made
    },
  }
}

export type OpenCodeMap = ReturnType<typeof openCodeMap>

export function codeMapOf(hive: Hive): OpenCodeMap {
  const known = opened.get(hive) ?? openCodeMap(hive)
  opened.set(hive, known)
  return known
}

export function codeFactsFor({ files }: CodeMap, { dependents }: ImportGraph): CodeFactsLookup {
  return (path) => {
    const file = files.get(path)
    if (file === undefined) return null
    return {
      offers: [...new Set((file.exports ?? []).map(({ name }) => name))],
      dependents: dependents.get(path)?.length ?? 0,
      todos: (file.todos ?? []).filter(({ tag }) => tag !== "NOTE").length,
    }
  }
}

function* basisOf(files: readonly ProjectFile[]): Pausing<string> {
  const hash = createHash("sha1")
  for (const { path, signature } of files) {
    yield
    hash.update(path.endsWith(".json") ? `${path} ${signature}\n` : `${path}\n`)
  }
  return hash.digest("hex")
}

const opened = new WeakMap<Hive, OpenCodeMap>()
