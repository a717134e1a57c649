import { closeSync, readSync } from "node:fs"
import { join } from "node:path"
import type { Kind } from "../../schemas/records.ts"
import { listFolder } from "../files/folder.ts"
import { existsSync, openSync, readFileSync } from "../files/hive-fs.ts"
import { type HivePaths, hasHive, hivePaths } from "../files/layout.ts"
import { segmentNumbers } from "../log/segments.ts"
import { manifestNumbers } from "../snapshot/manifest.ts"

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

/**
 * True once there is anything of today's format. It is asked of what no older version has ever written: where 0.1's
 * files were committed, git brings them back with an old branch, and takes them away with the next.
 */
export function isUpgraded(paths: HivePaths): boolean {
  return manifestNumbers(paths.graph).length > 0 || segmentNumbers(paths.log).length > 0
}

/** Months of history, oldest first; then what an upgrade has found in the journal. */
export function historyFiles(paths: HivePaths): string[] {
  const folder = isUpgraded(paths) ? keptHistory(paths) : join(paths.graph, "history")
  const months = listFolder(folder).filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name))
  const all = [...months.sort(), ...listFolder(folder).filter((name) => name === UNFOLDED)]
  return all.map((name) => join(folder, name))
}

/** Where an upgrade keeps the history of before. */
export function keptHistory({ v1 }: HivePaths): string {
  return join(v1, "history")
}

/** The files of format 1 that are there, with an upgrade or without. */
export function legacyFiles(paths: HivePaths): string[] {
  return [
    ...Object.keys(legacySnapshots).map((file) => join(paths.root, file)),
    ...journalFiles(paths).map(({ path }) => path),
    join(paths.archive, "mems.jsonl"),
  ].filter((path) => existsSync(path) && !isOfOlderTool(paths.root, path))
}

/**
 * Tools before HiveMind 0.1 had files of the same names. 0.1 wrote down its format, and in each snapshot how far into the
 * journal that reaches; they did neither.
 */
export function isOfOlderTool(root: string, path: string): boolean {
  if (!path.endsWith(".json")) return false
  const head = headOf(path)
  if (path === join(root, "graph", "orphans.json"))
    return /"version"\s*:/.test(head) || head.includes('"original_data"')
  if (head.includes('"folded"') || existsSync(join(root, "graph", "journal.jsonl"))) return false
  return !isFormat1(join(root, "system", "manifest.json"))
}

/** True where HiveMind itself has been at work, not only a tool before it that had a folder of the same name. */
export function isOwnHive(projectDir: string): boolean {
  if (!hasHive(projectDir)) return false
  const paths = hivePaths(projectDir)
  if (existsSync(paths.log) || manifestNumbers(paths.graph).length > 0) return true
  const files = Object.keys(legacySnapshots).map((file) => join(paths.root, file))
  return !files.some((path) => existsSync(path) && isOfOlderTool(paths.root, path))
}

function isFormat1(manifest: string): boolean {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { format?: unknown }).format === 1
  } catch {
    return existsSync(manifest) // Damaged, as only a manifest of ours can be.
  }
}

function headOf(path: string): string {
  try {
    const fd = openSync(path, "r")
    try {
      const bytes = Buffer.alloc(HEAD_BYTES)
      return bytes.toString("utf8", 0, readSync(fd, bytes, 0, HEAD_BYTES, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return "" // Gone, or not for us to see: whoever reads it tells.
  }
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
const HEAD_BYTES = 4096
