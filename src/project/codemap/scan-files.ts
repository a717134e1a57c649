import { createHash } from "node:crypto"
import type { MappedFile } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { FileNote, ProjectFile } from "../files/list-files.ts"
import { readProjectFile } from "../files/read-file.ts"
import type { Parser } from "./parser.ts"
import { readSource } from "./read-source.ts"
import type { Facts } from "./source/facts.ts"
import { languageOf } from "./source/languages.ts"

export interface Scanned {
  files: Map<string, MappedFile>
  /** Those that were read and are not as they were. */
  changed: string[]
  notes: FileNote[]
}

export interface ScanInput {
  dir: string
  listed: readonly ProjectFile[]
  /** What is known already: a file that has not been touched since is not read again. */
  known: ReadonlyMap<string, MappedFile>
  parser: Parser | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** Reads every file that has changed since it was last read, a few at a time, and leaves the event loop free between. */
export async function scanFiles({ dir, listed, known, parser, onProgress }: ScanInput): Promise<Scanned> {
  const scanned: Scanned = { files: new Map(), changed: [], notes: [] }
  const code = listed.filter(({ path }) => languageOf(path) !== undefined)
  const unread = await runInSlices(takeKnown(code, known, parser !== undefined, scanned))
  for (let at = 0; at < unread.length; at += AT_ONCE) {
    onProgress?.(at, unread.length)
    await Promise.all(unread.slice(at, at + AT_ONCE).map((file) => readFile(file)))
  }
  onProgress?.(unread.length, unread.length)
  return scanned

  async function readFile(file: ProjectFile): Promise<void> {
    await runInSlices(pause())
    const language = languageOf(file.path)
    const found = readProjectFile(dir, file.path, MAX_BYTES)
    if (language === undefined) return
    if (!("text" in found)) {
      scanned.notes.push({ path: file.path, why: found.why })
      return
    }
    const hash = hashOf(found.text)
    const last = known.get(file.path)
    if (last?.hash === hash && isRead(last, parser !== undefined)) {
      take(scanned, { ...last, signature: file.signature })
      return
    }
    add(
      scanned,
      toEntry(file, language.name, hash, await readSource(file.path, found.text, language, parser)),
    )
  }
}

/** Files that nobody has touched are taken over; returns the others. */
function* takeKnown(
  code: readonly ProjectFile[],
  known: ReadonlyMap<string, MappedFile>,
  hasParser: boolean,
  scanned: Scanned,
): Pausing<ProjectFile[]> {
  const unread: ProjectFile[] = []
  for (const file of code) {
    yield
    const last = known.get(file.path)
    if (last !== undefined && last.signature === file.signature && isRead(last, hasParser))
      take(scanned, last)
    else unread.push(file)
  }
  return unread
}

function isRead({ unparsed }: MappedFile, hasParser: boolean): boolean {
  return !(unparsed && hasParser)
}

function add(scanned: Scanned, entry: MappedFile): void {
  take(scanned, entry)
  scanned.changed.push(entry.path)
}

function take({ files, notes }: Scanned, entry: MappedFile): void {
  files.set(entry.path, entry)
  if (entry.note !== undefined) notes.push({ path: entry.path, why: entry.note })
}

function toEntry(
  { path, bytes, signature }: ProjectFile,
  language: string,
  hash: string,
  facts: Facts,
): MappedFile {
  return { path, language, bytes, signature, hash, ...facts }
}

function* pause(): Pausing<void> {
  yield
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 16)
}

const MAX_BYTES = 1 << 20
// So many wait for the parser's threads at once.
const AT_ONCE = 16
