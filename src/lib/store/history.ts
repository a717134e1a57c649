import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import type { Entry } from "../../schemas/journal.ts"
import { applyOp, emptyState, type GraphState } from "../graph/state.ts"
import type { HivePaths } from "./layout.ts"
import type { Problem } from "./problem.ts"
import { listFolder, listSegments, parseEntries, readTail } from "./segments.ts"
import type { Watermark } from "./snapshot.ts"

/** Every entry that was ever folded, oldest first, each once: a crash in mid-fold may have written some twice. */
function readHistory(paths: HivePaths): { entries: Entry[]; problems: Problem[] } {
  const seen = new Set<string>()
  const entries: Entry[] = []
  const problems: Problem[] = []
  for (const name of listFolder(paths.history)
    .filter((each) => MONTH_FILE.test(each))
    .sort()) {
    const bytes = readTail(join(paths.history, name), 0)?.bytes
    if (bytes === undefined) continue
    const parsed = parseEntries(bytes, `graph/history/${name}`)
    problems.push(...parsed.problems)
    for (const { entry } of parsed.entries) {
      if (seen.has(entry.id)) continue
      seen.add(entry.id)
      entries.push(entry)
    }
  }
  return { entries, problems }
}

/** History and what is still in the journal, oldest first: the whole log. */
export function readLog(paths: HivePaths): Entry[] {
  const { entries } = readHistory(paths)
  const seen = new Set(entries.map((entry) => entry.id))
  const followed = new Set<string | null>()
  for (const path of [...listSegments(paths).map((segment) => segment.path), paths.journal]) {
    const bytes = readTail(path, 0)?.bytes
    if (bytes === undefined) continue
    for (const { entry } of parseEntries(bytes, "").entries) {
      if (seen.has(entry.id) || (entry.after !== undefined && followed.has(entry.after))) continue
      seen.add(entry.id)
      if (entry.after !== undefined) followed.add(entry.after)
      entries.push(entry)
    }
  }
  return entries
}

/** The entries that a snapshot with this watermark holds, as far as the log still knows them. */
export function foldedEntries(paths: HivePaths, upTo: Watermark): Entry[] {
  const { entries } = readHistory(paths)
  for (const segment of listSegments(paths)) {
    if (segment.number > upTo.segment) break
    const bytes = readTail(segment.path, 0)?.bytes ?? Buffer.alloc(0)
    const isWhole = segment.number < upTo.segment
    for (const { entry, end } of parseEntries(bytes, "").entries) {
      if (isWhole || end <= upTo.bytes) entries.push(entry)
    }
  }
  return entries
}

/** The graph that these entries make, from nothing. */
export function replay(entries: Iterable<Entry>): GraphState {
  const state = emptyState()
  for (const entry of entries) for (const op of entry.ops) applyOp(state, op)
  return state
}

export async function appendHistory(paths: HivePaths, entries: Entry[]): Promise<void> {
  const months = groupByMonth(entries)
  await mkdir(paths.history, { recursive: true })
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

function groupByMonth(entries: Entry[]): Map<string, Entry[]> {
  const months = new Map<string, Entry[]>()
  for (const entry of entries) {
    const month = entry.at.slice(0, 7)
    const ofMonth = months.get(month)
    if (ofMonth === undefined) months.set(month, [entry])
    else ofMonth.push(entry)
  }
  return months
}

const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/
