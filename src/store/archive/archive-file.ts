import { join } from "node:path"
import { tryParse } from "../../schemas/checked.ts"
import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import type { Pausing } from "../../shared/slices.ts"
import { fileSize, mkdirSync } from "../files/hive-fs.ts"
import { checkedBody, withSum } from "../log/line.ts"
import { sixDigits } from "../log/segments.ts"
import { linesFrom, mergeSorted, writeSorted } from "./sorted-file.ts"

/** One of the archive's files, as the manifest names it. */
export interface ArchiveFile {
  file: string
  /** How many lines it has. */
  mems: number
  /** Its size: a file of another size was damaged. */
  bytes: number
}

/** Says that a mem in an older file was dropped since. */
export interface Gone {
  id: string
  gone: true
}

/** A line begins with the id, by which lines are sorted, and ends with a checksum. */
function archiveLine(record: Mem | Gone): string {
  return withSum(JSON.stringify({ ...record, id: record.id }), NO_SEGMENT)
}

/** Undefined for a line that is damaged: the log still has its mem. */
export function parseLine(line: string): Mem | Gone | undefined {
  const body = checkedBody(Buffer.from(line), NO_SEGMENT)
  if (body === undefined) return undefined
  const value: Mem | Gone = JSON.parse(body)
  return "gone" in value ? value : tryParse(memSchema, value).data
}

export function memOf(found: Mem | Gone | undefined): Mem | undefined {
  return found !== undefined && "gone" in found ? undefined : found
}

export function isWhole(line: string): boolean {
  return checkedBody(Buffer.from(line), NO_SEGMENT) !== undefined
}

/**
 * Writes mems that leave the hot set, and ids of dropped ones, into a new file together with older files that are not
 * much larger: so there are only ever a few files, and a mem is rewritten only a few times. Returns all files then; the
 * new one is not fsynced yet.
 */
export function* growArchive(
  folder: string,
  /** The newest last. */
  files: readonly ArchiveFile[],
  { mems, gone, name }: { mems: readonly Mem[]; gone: readonly string[]; name: string },
): Pausing<ArchiveFile[]> {
  mkdirSync(folder)
  const lines: string[] = []
  for (const mem of mems) {
    lines.push(archiveLine(mem))
    yield
  }
  for (const id of gone) lines.push(archiveLine({ id, gone: true }))
  const kept = countKept(folder, files, lines)
  const sources: Iterator<string>[] = files.slice(kept).map(({ file }) => linesFrom(join(folder, file), ""))
  for (let n = 0; n < lines.length; n += SORTED_AT_ONCE) {
    const sorted = lines.slice(n, n + SORTED_AT_ONCE).sort()
    sources.push(sorted.values())
    yield
  }
  const merged = mergeSorted(sources)
  // If no older file is left, dropped mems need no line.
  const { count, bytes } = yield* writeSorted(join(folder, name), kept === 0 ? withoutGone(merged) : merged)
  return [...files.slice(0, kept), { file: name, mems: count, bytes }]
}

/** How many files stay as they are: the oldest, up to the first that is much larger than all that come after it. */
function countKept(folder: string, files: readonly ArchiveFile[], lines: readonly string[]): number {
  let size = lines.reduce((sum, line) => sum + line.length, 0)
  let kept = files.length
  for (; kept > 0; kept--) {
    const { file, bytes } = files[kept - 1] as ArchiveFile
    // A file that is gone or damaged may come back: it stays as it is.
    if (fileSize(join(folder, file)) !== bytes || bytes > MUCH_LARGER * size) break
    size += bytes
  }
  return kept
}

function* withoutGone(lines: Iterable<string>): Generator<string, void, void> {
  for (const line of lines) if (!line.startsWith(GONE, ID_END)) yield line
}

/** The name contains the fold that wrote it: no two folds write the same file, not even two at once. */
export function archiveName(segment: number, token: string): string {
  return `mems.${sixDigits(segment)}-${token}.jsonl`
}

/** The segment at which a fold wrote a file of the archive; undefined for another file. */
export function archiveFold(name: string): number | undefined {
  const match = /^mems\.(\d{6,})-\w+\.jsonl$/.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

const NO_SEGMENT = 0
// The id in a line ends here, and what follows it in the line of a dropped mem.
const ID_END = '{"id":"'.length + 36 + 1
const GONE = ',"gone":true'
const MUCH_LARGER = 4
const SORTED_AT_ONCE = 5000
