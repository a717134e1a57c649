import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { listProjectFiles, type ProjectFile, type ProjectFiles } from "../files/list-files.ts"
import { isBinary, readProjectBytes, readProjectFile } from "../files/read-file.ts"
import { leadsOut } from "../project-path.ts"
import { findDocuments, isDocument } from "./documents.ts"
import { changedFiles } from "./drift.ts"
import { findGovernance, isGoverned } from "./governance.ts"
import { findLayout, languageOf } from "./layout.ts"
import { type ParsedDocument, parseDocument } from "./markdown.ts"
import { scannedFiles } from "./scanned-files.ts"
import { findTech } from "./tech.ts"

export interface ScanState {
  map: ProjectMap
  files: ReadonlyMap<string, KnownFile>
}

export interface KnownFile {
  signature: string
  /** A hash of the content; null if the file was not read. */
  hash: string | null
  lines: number | null
  document?: ParsedDocument | undefined
}

export interface ScanInput {
  known?: ScanState | undefined
  isFull?: boolean
  at: string
  onProgress?: ((done: number, total: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Scans a project's files in slices. Returns the known map object if nothing has changed. */
export async function scanProject(dir: string, input: ScanInput): Promise<ScanState> {
  const listed = await listProjectFiles(dir)
  return runInSlices(scanListed(dir, listed, input))
}

function* scanListed(dir: string, listed: ProjectFiles, input: ScanInput): Pausing<ScanState> {
  const { known, isFull = false, at } = input
  const notes = noteList()
  for (const { path, why } of listed.notes) notes.add(path === "" ? why : `${path}: ${why}`)
  if (listed.stopped !== null) notes.add(`not all files were listed: stopped ${listed.stopped}`)
  const files = yield* readFiles(dir, listed.files, input, notes.add)
  if (known !== undefined && !isFull) {
    const { added, removed, changed } = yield* changedFiles(known.files, files)
    if (added.length + removed.length + changed.length === 0) return { map: known.map, files }
  }
  const map = yield* makeMap(dir, listed, files, notes)
  const isSame = known !== undefined && (yield* isSameMap(known.map, map))
  return { map: isSame ? known.map : { ...map, scanned_at: at }, files }
}

function* readFiles(
  dir: string,
  listed: readonly ProjectFile[],
  { known, isFull = false, onProgress, signal }: ScanInput,
  note: (note: string) => void,
): Pausing<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>()
  let readBytes = 0
  for (const [count, file] of listed.entries()) {
    yield
    signal?.throwIfAborted()
    if (count % PROGRESS_EVERY === 0) onProgress?.(count, listed.length)
    const before = known?.files.get(file.path)
    if (before?.signature === file.signature && !isFull) files.set(file.path, before)
    else if (readBytes > MAX_READ_BYTES) {
      note(`not all files were read: stopped after ${MAX_READ_BYTES >> 20} MB`)
      files.set(file.path, { signature: file.signature, hash: null, lines: null })
    } else {
      const found = yield* readFile(dir, file, note)
      if (found.hash !== null) readBytes += file.bytes
      files.set(file.path, found)
    }
  }
  onProgress?.(listed.length, listed.length)
  return files
}

/** Hashes a file, counts the lines of a code file, and parses a document. A large file is not read. */
function* readFile(dir: string, { path, bytes: size, signature }: ProjectFile, note: (note: string) => void) {
  const unread: KnownFile = { signature, hash: null, lines: null }
  const isCode = languageOf(path) !== undefined
  const isText = isCode || isDocument(path)
  if (size > MAX_FILE_BYTES) {
    if (isText) note(`${path}: larger than ${MAX_FILE_BYTES / 1024} KB, not read`)
    return unread
  }
  const read = readProjectBytes(dir, path, MAX_FILE_BYTES)
  if ("why" in read) {
    note(`${path}: ${read.why}`)
    return unread
  }
  const { bytes } = read
  const hash = createHash("sha1").update(bytes).digest("hex").slice(0, HASH_CHARS)
  const known = { signature, hash, lines: null }
  if (isBinary(bytes)) {
    if (isText) note(`${path}: binary content, despite its name`)
    return known
  }
  if (isCode) return { ...known, lines: countLines(bytes) }
  if (!isText) return known
  yield
  return { ...known, document: yield* parseDocument(path, bytes.toString("utf8")) }
}

function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? count + 1 : count
}

function* makeMap(
  dir: string,
  listed: ProjectFiles,
  known: ReadonlyMap<string, KnownFile>,
  notes: Notes,
): Pausing<ProjectMap> {
  const paths = listed.files.map(({ path }) => path)
  const text = (path: string) => {
    const read = readProjectFile(dir, path, MAX_MANIFEST_BYTES)
    if ("text" in read) return read.text
    notes.add(`${path}: ${read.why}`)
    return undefined
  }
  const files = yield* scannedFiles({ paths, text, note: notes.add })
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
  const layout = yield* findLayout(known)
  // A link to an existing file that git ignores is not dead.
  const exists = (path: string) => files.has(path) || (!leadsOut(path) && existsSync(join(dir, path)))
  const found = yield* findDocuments(files, documents, exists, isGoverned(governance))
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

/** Collects notes, each once and at most MAX_NOTES of them. */
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
    yield
    if (key !== "scanned_at" && !isDeepStrictEqual(before[key], after[key])) return false
  }
  return true
}

const NEWLINE = 10
const HASH_CHARS = 16
const MAX_FILE_BYTES = 1 << 20
// Parsing blocks the event loop, and manifests that people write are not larger.
const MAX_MANIFEST_BYTES = 128 << 10
const MAX_READ_BYTES = 1 << 30
const MAX_DOCUMENTS = 2000
const MAX_NOTES = 50
const MAX_NOTE_CHARS = 300
const PROGRESS_EVERY = 100
