import { createHash } from "node:crypto"
import type { MappedFile } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { FileNote, ProjectFile } from "../files/list-files.ts"
import { readProjectFile } from "../files/read-file.ts"
import type { Parser } from "./parser.ts"
import { isLong, readLongSource, readSource, type Source } from "./read-source.ts"
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

/** Reads every file that has changed since it was last read, and leaves the event loop free between. */
export async function scanFiles({ dir, listed, known, parser, onProgress }: ScanInput): Promise<Scanned> {
  const scanned: Scanned = { files: new Map(), changed: [], notes: [] }
  const code = listed.filter(({ path }) => languageOf(path) !== undefined)
  const unread = await runInSlices(takeKnown(code, known, parser !== undefined, scanned))
  for (let at = 0; at < unread.length; ) {
    const long = await runInSlices(readUntilLong())
    if (long !== undefined) add(scanned, toEntry(long, await readLongSource(long.source)))

    function* readUntilLong(): Pausing<Changed | undefined> {
      while (at < unread.length) {
        yield
        if (at % SHOWN_EVERY === 0) onProgress?.(at, unread.length)
        const changed = readIfChanged(unread[at++])
        if (changed === undefined) continue
        if (isLong(changed.source)) return changed
        add(scanned, toEntry(changed, readSource(changed.source)))
      }
      return undefined
    }
  }
  onProgress?.(unread.length, unread.length)
  return scanned

  function readIfChanged(file: ProjectFile | undefined): Changed | undefined {
    const language = file === undefined ? undefined : languageOf(file.path)
    if (file === undefined || language === undefined) return undefined
    const found = readProjectFile(dir, file.path, MAX_BYTES)
    if (!("text" in found)) {
      scanned.notes.push({ path: file.path, why: found.why })
      return undefined
    }
    const hash = hashOf(found.text)
    const last = known.get(file.path)
    if (last?.hash === hash && isRead(last, parser !== undefined)) {
      take(scanned, { ...last, signature: file.signature })
      return undefined
    }
    return { file, hash, source: { path: file.path, text: found.text, language, parser } }
  }
}

interface Changed {
  file: ProjectFile
  hash: string
  source: Source
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

function toEntry({ file, hash, source }: Changed, facts: Facts): MappedFile {
  const { path, bytes, signature } = file
  return { path, language: source.language.name, bytes, signature, hash, ...facts }
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 16)
}

const MAX_BYTES = 1 << 20
const SHOWN_EVERY = 16
