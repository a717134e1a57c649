import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { listProjectFiles, type ProjectFiles } from "../files/list-files.ts"
import { readProjectFile } from "../files/read-file.ts"
import { leadsOut } from "../project-path.ts"
import { findDocuments } from "./document/find-documents.ts"
import type { ParsedDocument } from "./document/parse-document.ts"
import { changedFiles } from "./drift.ts"
import { findGovernance, isGoverned } from "./governance/governance.ts"
import { findLayout } from "./layout/layout.ts"
import { type ScannedFiles, scannedFiles } from "./listing/scanned-files.ts"
import { type KnownFile, lookAtFile } from "./look-at-file.ts"
import { findTech } from "./manifest/tech.ts"

/** What a scan knows of a project: the map, and of each file what the next scan need not read again. */
export interface ScanState {
  map: ProjectMap
  files: ReadonlyMap<string, KnownFile>
}

export interface ScanInput {
  /** The last scan's: then only what has changed since is read. */
  known?: ScanState | undefined
  /** Reads every file again all the same. */
  isFull?: boolean
  /** ISO time of the map, if it is another one than before. */
  at: string
  onProgress?: ((done: number, total: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Scans a project's files in slices. The same map comes back where nothing has changed. */
export async function scanProject(dir: string, input: ScanInput): Promise<ScanState> {
  const listed = await listProjectFiles(dir)
  return runInSlices(scanListed(dir, listed, input))
}

function* scanListed(dir: string, listed: ProjectFiles, input: ScanInput): Pausing<ScanState> {
  const { known, isFull = false } = input
  const { files, notes } = yield* lookAtAll(dir, listed, input)
  if (known !== undefined && !isFull) {
    const { added, removed, changed } = yield* changedFiles(known.files, files)
    if (added.length + removed.length + changed.length === 0) return { map: known.map, files }
  }
  const map = yield* drawMap(dir, listed, files, notes)
  const isSame = known !== undefined && (yield* isSameMap(known.map, map))
  return { map: isSame ? known.map : { ...map, scanned_at: input.at }, files }
}

interface Looked {
  files: Map<string, KnownFile>
  notes: Notes
}

function* lookAtAll(
  dir: string,
  listed: ProjectFiles,
  { known, isFull = false, onProgress, signal }: ScanInput,
): Pausing<Looked> {
  const files = new Map<string, KnownFile>()
  const notes = noteList()
  for (const { path, why } of listed.notes) notes.add(path === "" ? why : `${path}: ${why}`)
  if (listed.stopped !== null) notes.add(`not all files were listed: stopped ${listed.stopped}`)
  let [read, count] = [0, 0]
  for (const file of listed.files) {
    yield
    signal?.throwIfAborted()
    if (++count % SHOWN_EVERY === 0) onProgress?.(count, listed.files.length)
    const before = known?.files.get(file.path)
    if (before?.signature === file.signature && !isFull) {
      files.set(file.path, before)
      continue
    }
    if (read > MAX_READ_BYTES) {
      notes.add(`not all files were read: stopped after ${MAX_READ_BYTES >> 20} MB`)
      files.set(file.path, { signature: file.signature, hash: null, lines: null })
      continue
    }
    const looked = yield* lookAtFile(dir, file, notes.add)
    if (looked.hash !== null) read += file.bytes
    files.set(file.path, looked)
  }
  onProgress?.(count, listed.files.length)
  return { files, notes }
}

function* drawMap(
  dir: string,
  listed: ProjectFiles,
  known: ReadonlyMap<string, KnownFile>,
  notes: Notes,
): Pausing<ProjectMap> {
  const paths = listed.files.map(({ path }) => path)
  const files = yield* scannedFiles(paths, textReader(dir, notes), notes.add)
  const documents = new Map<string, ParsedDocument>()
  let left = 0
  for (const [path, { document }] of known) {
    if (document === undefined) continue
    if (documents.size < MAX_DOCUMENTS) documents.set(path, document)
    else left++
  }
  if (left > 0) notes.add(`${left} more documents are not in the map`)
  yield
  const tech = yield* findTech(files)
  const governance = yield* findGovernance(files)
  const layout = yield* findLayout(countedFiles(known))
  const found = yield* findDocuments(files, documents, existsIn(dir, files), isGoverned(governance))
  const bytes = listed.files.reduce((sum, file) => sum + file.bytes, 0)
  return {
    format: 1,
    scanned_at: "",
    files: { count: paths.length, bytes, listed_by: listed.source === "git" ? "git" : "its folders" },
    ...layout,
    ...tech,
    governance,
    ...found,
    notes: notes.all(),
  }
}

function* countedFiles(known: ReadonlyMap<string, KnownFile>) {
  for (const [path, { lines }] of known) yield { path, lines }
}

/** What git ignores may be there all the same: a link to it is not dead. */
function existsIn(dir: string, files: ScannedFiles): (path: string) => boolean {
  return (path) => files.has(path) || (!leadsOut(path) && existsSync(join(dir, path)))
}

/** Manifests and lock files: read anew by each scan that has found a change, as they are few. */
function textReader(dir: string, notes: Notes): ScannedFiles["text"] {
  return (path) => {
    const read = readProjectFile(dir, path, LOCK_FILE.test(path) ? MAX_LOCK_BYTES : MAX_MANIFEST_BYTES)
    if ("text" in read) return read.text
    notes.add(`${path}: ${read.why}`)
    return undefined
  }
}

/** A project with thousands of odd files must not fill the map with notes. */
function noteList() {
  const notes = new Set<string>()
  let more = 0
  return {
    add(note: string): void {
      if (notes.size < MAX_NOTES || notes.has(note)) notes.add(note.slice(0, MAX_NOTE_CHARS))
      else more++
    },
    all: () => [...notes, ...(more > 0 ? [`${more} more notes`] : [])],
  }
}
type Notes = ReturnType<typeof noteList>

function* isSameMap(before: ProjectMap, after: ProjectMap): Pausing<boolean> {
  for (const key of Object.keys(after) as (keyof ProjectMap)[]) {
    const [one, other] = [before[key], after[key]]
    if (key === "scanned_at") continue
    if (!Array.isArray(one) || !Array.isArray(other)) {
      if (!isDeepStrictEqual(one, other)) return false
      continue
    }
    if (one.length !== other.length) return false
    for (const [n, entry] of one.entries()) {
      yield
      if (!isDeepStrictEqual(entry, other[n])) return false
    }
  }
  return true
}

const LOCK_FILE =
  /(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|Cargo\.lock|uv\.lock|poetry\.lock)$/
// Larger ones that people have written are not known; parsing holds the event loop.
const MAX_MANIFEST_BYTES = 128 << 10
const MAX_LOCK_BYTES = 4 << 20
const MAX_READ_BYTES = 1 << 30
const MAX_DOCUMENTS = 2000
const MAX_NOTES = 50
const MAX_NOTE_CHARS = 300
const SHOWN_EVERY = 100
