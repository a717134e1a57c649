import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import type { Problem } from "../graph/problem.ts"
import { applyOp, emptyState, type GraphState } from "../graph/state.ts"
import { type Entry, type EntryLine, readEntry } from "../schemas/journal.ts"
import type { HivePaths } from "./layout.ts"
import { listFolder, listSegments, parseEntries, readTail } from "./segments.ts"
import { isFolded, type Watermark } from "./snapshot.ts"
import type { LogPart } from "./store.ts"
import { sumCounts, summedAlready } from "./sum-counts.ts"

/** Every entry that was ever folded, oldest first, each once: a crash in mid-fold may have written some twice. */
function readHistory(paths: HivePaths, part?: LogPart): { entries: EntryLine[]; problems: Problem[] } {
  const month = part?.since.slice(0, "2026-02".length) ?? ""
  const isWanted = part && naming(part.naming)
  const seen = new Set<string>()
  const entries: EntryLine[] = []
  const problems: Problem[] = []
  for (const name of monthFiles(paths).filter((each) => each >= month)) {
    const bytes = tryReading(join(paths.history, name))
    const parsed = parseEntries(bytes, `graph/history/${name}`, isWanted)
    problems.push(...parsed.problems)
    for (const { entry } of parsed.entries) {
      if (seen.has(entry.id)) continue
      seen.add(entry.id)
      entries.push(entry)
    }
  }
  return { entries, problems }
}

function monthFiles(paths: HivePaths): string[] {
  return listFolder(paths.history)
    .filter((name) => MONTH_FILE.test(name))
    .sort()
}

/** History and what is still in the journal, oldest first: the whole log, or of the history only that part. */
export function readLog(paths: HivePaths, part?: LogPart): Entry[] {
  return collect(readHistory(paths, part).entries, [...listSegments(paths), openSegment(paths)], () => true)
}

/** What no fold has moved to the history yet, oldest first. */
export function readRecent(paths: HivePaths): Entry[] {
  return collect([], [...listSegments(paths), openSegment(paths)], () => true)
}

function openSegment(paths: HivePaths): { number: number; path: string } {
  return { number: Number.MAX_SAFE_INTEGER, path: paths.journal }
}

/** The entries that a snapshot with this watermark holds, as far as the log still knows them. */
export function foldedEntries(
  paths: HivePaths,
  upTo: Pick<Watermark, "segment" | "bytes" | "older">,
): Entry[] {
  return collect(
    readHistory(paths).entries,
    listSegments(paths).filter(({ number }) => number <= upTo.segment),
    ({ number }, end) => isFolded(upTo, number, end),
  )
}

/** Adds the entries of these segments, each once, and of two that follow the same one only the first. */
function collect(
  entries: EntryLine[],
  segments: { number: number; path: string }[],
  isWanted: (segment: { number: number }, end: number) => boolean,
): Entry[] {
  const seen = new Set(entries.map((entry) => entry.id))
  const followed = new Set<string | null>()
  for (const segment of segments) {
    const bytes = tryReading(segment.path)
    const isSummed = summedAlready(seen)
    for (const { entry, end } of parseEntries(bytes, "").entries) {
      if (
        isSummed(entry) ||
        seen.has(entry.id) ||
        (entry.after !== undefined && followed.has(entry.after)) ||
        !isWanted(segment, end)
      )
        continue
      seen.add(entry.id)
      if (entry.after !== undefined) followed.add(entry.after)
      entries.push(entry)
    }
  }
  return entries.map(readEntry)
}

/** True of a line that has this text, as the file has it: what is not wanted need not even be parsed. */
function naming(text: string): (line: Buffer) => boolean {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1))
  return (line) => line.includes(bytes)
}

/** Whoever loads the graph reports a file that cannot be read; the log goes on without it. */
function tryReading(path: string): Buffer {
  try {
    return readTail(path, 0)?.bytes ?? Buffer.alloc(0)
  } catch {
    return Buffer.alloc(0)
  }
}

/** The graph that these entries make, from nothing. */
export function replay(entries: Iterable<Entry>): GraphState {
  const state = emptyState()
  for (const entry of entries) for (const op of entry.ops) applyOp(state, op)
  return state
}

export async function appendHistory(paths: HivePaths, entries: EntryLine[]): Promise<void> {
  await mkdir(paths.history, { recursive: true })
  const months = groupByMonth(sumCounts(entries), monthFiles(paths).at(-1)?.slice(0, MONTH_LENGTH) ?? "")
  for (const [month, ofMonth] of months) {
    const file = await open(join(paths.history, `${month}.jsonl`), "a")
    try {
      await file.writeFile(ofMonth.map((entry) => `\n${JSON.stringify(entry)}`).join(""))
      await file.sync()
    } finally {
      await file.close()
    }
  }
}

/** By month, but never into one before the newest there is: a clock that was set back must not change the order. */
function groupByMonth(entries: EntryLine[], newest: string): Map<string, EntryLine[]> {
  const months = new Map<string, EntryLine[]>()
  let month = newest
  for (const entry of entries) {
    const own = entry.at.slice(0, MONTH_LENGTH)
    if (own > month) month = own
    const ofMonth = months.get(month)
    if (ofMonth === undefined) months.set(month, [entry])
    else ofMonth.push(entry)
  }
  return months
}

const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/
const MONTH_LENGTH = "2026-11".length
