import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Kind } from "../../schemas/records.ts"
import { listFolder } from "../files/folder.ts"
import type { HivePaths } from "../files/layout.ts"

/** The snapshots of format 1 (HiveMind 0.1), relative to `.hivemind/`, each with the lists of records it holds. */
export const legacySnapshots: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  "sessions/manifest.json": { sessions: "session" },
  "graph/trajectory.json": { trajectories: "trajectory" },
  "graph/plans.json": { plans: "plan", phases: "phase" },
  "graph/tasks.json": { tasks: "task", checkpoints: "checkpoint", delegations: "delegation" },
  "graph/mems.json": { mems: "mem" },
  "graph/artifacts.json": { artifacts: "artifact" },
  "state/anchors.json": { anchors: "anchor" },
  "state/brain.json": { metrics: "metrics" },
}

export interface JournalFile {
  /** The open journal comes after all sealed segments. */
  number: number
  path: string
}

/** The journal of format 1, oldest first: sealed segments, then the open one. */
export function journalFiles({ graph }: HivePaths): JournalFile[] {
  const sealed = listFolder(graph).flatMap((name) => {
    const number = /^journal\.(\d{1,15})\.jsonl$/.exec(name)?.[1]
    return number === undefined ? [] : [{ number: Number(number), path: join(graph, name) }]
  })
  const open = join(graph, "journal.jsonl")
  return [
    ...sealed.sort((a, b) => a.number - b.number),
    ...(existsSync(open) ? [{ number: Number.POSITIVE_INFINITY, path: open }] : []),
  ]
}

/** Months of history, oldest first; then what an upgrade has found in the journal. */
export function historyFiles({ history }: HivePaths): string[] {
  const months = listFolder(history).filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name))
  const all = [...months.sort(), ...listFolder(history).filter((name) => name === UNFOLDED)]
  return all.map((name) => join(history, name))
}

/** The lines of a file of format 1, each with the offset where it ends. They start with a newline and have no checksum. */
export function* legacyLines(path: string): Generator<{ line: Buffer; end: number }, void, void> {
  const bytes = readFileSync(path)
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? bytes.length : newline
    if (end > start) yield { line: bytes.subarray(start, end), end }
    start = end + 1
  }
}

export const UNFOLDED = "unfolded.jsonl"
const NEWLINE = 0x0a
