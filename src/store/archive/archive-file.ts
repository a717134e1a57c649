import { join } from "node:path"
import { tryParse } from "../../schemas/checked.ts"
import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import type { Pausing } from "../../shared/slices.ts"
import { fileSize, mkdirSync } from "../files/hive-fs.ts"
import { checkedBody, withSum } from "../log/line.ts"
import { sixDigits } from "../log/segments.ts"
import type { ArchiveFile } from "../snapshot/manifest.ts"
import { linesFrom, mergeSorted, writeSorted } from "./sorted-file.ts"

/** Marks a deleted mem that an older archive file still contains. */
export type Gone = { id: string; gone: true }

/** Renders a line. The id comes first, because archive files are sorted by it. */
function archiveLine(record: Mem | Gone): string {
  return withSum(JSON.stringify({ ...record, id: record.id }), NO_SEGMENT)
}

/** Returns undefined for a damaged line; the log still has its mem. */
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

/** Writes archived and deleted mems into a new file, merged with older files that are not much larger. No fsync. */
export function* growArchive(
  folder: string,
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
  // If the new file replaces all others, deleted mems need no line: no file contains them any more.
  const { count, bytes } = yield* writeSorted(join(folder, name), kept === 0 ? withoutGone(merged) : merged)
  return [...files.slice(0, kept), { file: name, mems: count, bytes }]
}

/** Returns how many of the oldest files stay. Later ones are merged into the new file. */
function countKept(folder: string, files: readonly ArchiveFile[], lines: readonly string[]): number {
  let size = lines.reduce((sum, line) => sum + line.length, 0)
  let kept = files.length
  for (; kept > 0; kept--) {
    const { file, bytes } = files[kept - 1] as ArchiveFile
    // A missing or damaged file stays in the list, because it may be restored.
    if (fileSize(join(folder, file)) !== bytes || bytes > MUCH_LARGER * size) break
    size += bytes
  }
  return kept
}

function* withoutGone(lines: Iterable<string>): Generator<string, void, void> {
  for (const line of lines) if (!line.startsWith(GONE, ID_END)) yield line
}

/** The token is random, so two folds never choose the same name, even at the same time. */
export function archiveName(segment: number, token: string): string {
  return `mems.${sixDigits(segment)}-${token}.jsonl`
}

export function archiveFold(name: string): number | undefined {
  const match = /^mems\.(\d{6,})-\w+\.jsonl$/.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

const NO_SEGMENT = 0
const ID_END = '{"id":"'.length + 36 + 1 // The offset after the quoted id.
const GONE = ',"gone":true' // Follows the id in the line of a deleted mem.
const MUCH_LARGER = 4
const SORTED_AT_ONCE = 5000
