import { createHash } from "node:crypto"
import type { MappedFile } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { FileNote, ProjectFile } from "../files/list-files.ts"
import { readProjectFile } from "../files/read-file.ts"
import type { Parser } from "./parser.ts"
import { type Begun, beginSource, factsOf, parsedSource } from "./read-source.ts"
import { languageOf } from "./source/languages.ts"
import type { Parsed } from "./source/syntax.ts"

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

/**
 * Reads every file that has changed since it was last read, and leaves the event loop free between. Some are always at
 * the parser's threads while others are read, so that neither waits for the other.
 */
export async function scanFiles({ dir, listed, known, parser, onProgress }: ScanInput): Promise<Scanned> {
  const scanned: Scanned = { files: new Map(), changed: [], notes: [] }
  const code = listed.filter(({ path }) => languageOf(path) !== undefined)
  const unread = await runInSlices(takeKnown(code, known, parser !== undefined, scanned))
  const begun: Changed[] = []
  for (let at = 0; at < unread.length || begun.length > 0; ) {
    // Handed over in batches: each that comes alone wakes a thread.
    if (begun.length <= AHEAD / 2) await runInSlices(readAhead())
    const first = begun.shift()
    if (first === undefined) continue
    const { reading } = first
    const parsed = "source" in reading ? await parsedSource(reading) : undefined
    await runInSlices(finish(first, parsed))

    function* readAhead(): Pausing<void> {
      while (at < unread.length && begun.length < AHEAD) {
        yield
        if (at % SHOWN_EVERY === 0) onProgress?.(at, unread.length)
        const changed = yield* beginIfChanged(unread[at++])
        if (changed !== undefined) begun.push(changed)
      }
    }
  }
  onProgress?.(unread.length, unread.length)
  return scanned

  function* beginIfChanged(file: ProjectFile | undefined): Pausing<Changed | undefined> {
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
    const reading = yield* beginSource({ path: file.path, text: found.text, language, parser })
    return { file, hash, language: language.name, reading }
  }

  function* finish({ file, hash, language, reading }: Changed, parsed: Parsed | undefined): Pausing<void> {
    yield
    const facts = "facts" in reading ? reading.facts : factsOf(reading.source, parsed)
    const { path, bytes, signature } = file
    const entry = { path, language, bytes, signature, hash, ...facts }
    take(scanned, entry)
    scanned.changed.push(path)
  }
}

interface Changed {
  file: ProjectFile
  hash: string
  language: string
  reading: Begun
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

function take({ files, notes }: Scanned, entry: MappedFile): void {
  files.set(entry.path, entry)
  if (entry.note !== undefined) notes.push({ path: entry.path, why: entry.note })
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 16)
}

const MAX_BYTES = 1 << 20
const SHOWN_EVERY = 16
// As many as the threads have done by the time one is read; each holds its text.
const AHEAD = 32
