import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs"
import { join } from "node:path"
import { type Problem, quarantined } from "../graph/problem.ts"
import { firstIssue } from "../schemas/first-issue.ts"
import { type EntryLine, entryLine } from "../schemas/journal.ts"
import { systemCode } from "../shared/system-error.ts"
import type { HivePaths } from "./layout.ts"

export interface Segment {
  number: number
  path: string
}

/** The sealed parts of the journal that are not in the history yet, oldest first. */
export function listSegments(paths: HivePaths): Segment[] {
  const segments: Segment[] = []
  for (const name of listFolder(paths.graph)) {
    const match = SEGMENT_NAME.exec(name)
    if (match?.[1] !== undefined) segments.push({ number: Number(match[1]), path: join(paths.graph, name) })
  }
  return segments.sort((a, b) => a.number - b.number)
}

export function segmentPath(paths: HivePaths, number: number): string {
  return join(paths.graph, `journal.${String(number).padStart(6, "0")}.jsonl`)
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return []
    throw error
  }
}

/** Bytes from `from` to the end, and which file they came from; undefined if there is no such file. */
export function readTail(path: string, from: number): { bytes: Buffer; inode: number } | undefined {
  let fd: number
  try {
    fd = openSync(path, "r")
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined
    throw error
  }
  try {
    const { size, ino } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.max(0, size - from))
    let read = 0
    while (read < bytes.length) {
      const n = readSync(fd, bytes, read, bytes.length - read, from + read)
      if (n === 0) break
      read += n
    }
    return { bytes: bytes.subarray(0, read), inode: ino }
  } finally {
    closeSync(fd)
  }
}

/**
 * Splits journal bytes into entries. Every entry is written as a newline and then its line, so a line cut short by
 * a crash is closed off by whatever is written next; the last line counts once it is whole.
 */
export function parseEntries(
  bytes: Buffer,
  file: string,
  isWanted?: (line: Buffer) => boolean,
): { entries: { entry: EntryLine; end: number }[]; problems: Problem[]; consumed: number } {
  const entries: { entry: EntryLine; end: number }[] = []
  const problems: Problem[] = []
  let start = 0
  let consumed = 0
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? bytes.length : newline
    const isPassedOver = isWanted?.(bytes.subarray(start, end)) === false
    const line = isPassedOver ? "" : bytes.toString("utf8", start, end)
    const isLast = newline < 0
    if (line.trim() === "") consumed = end
    else {
      const parsed = parseEntry(line)
      if (typeof parsed !== "string") {
        entries.push({ entry: parsed, end })
        consumed = end
      } else if (!isLast) {
        problems.push(quarantined("broken_line", file, parsed, { raw: line }))
        consumed = end
      }
      // A last line that is not whole may still be on its way: it is read again next time.
    }
    start = end + 1
  }
  return { entries, problems, consumed }
}

function parseEntry(line: string): EntryLine | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return "the line is not valid JSON"
  }
  const parsed = entryLine.safeParse(value)
  return parsed.success ? parsed.data : `the line is not a journal entry: ${firstIssue(parsed.error)}`
}

const SEGMENT_NAME = /^journal\.(\d+)\.jsonl$/
const NEWLINE = 0x0a
