import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Changes } from "./changes.ts"
import { GONE, signatureOf } from "./file-signature.ts"

/** The files of a folder that no git looks after, as far as they were counted. */
export interface Scan {
  /** By path, relative to the folder: what tells that a file may have changed. */
  files: Map<string, string>
  /** Why it ended before all were seen; null where all were. */
  stopped: string | null
  at: number
}

export interface ScanLimits {
  files: number
  ms: number
}

/** Folders without what is downloaded or computed; links are not followed. */
export function scanTree(dir: string, limits: ScanLimits = LIMITS): Promise<Scan> {
  return runInSlices(scanFiles(dir, limits))
}

/** The files that have changed between two scans. Where one was not complete, what it has not seen is looked at. */
export function changedInScan(dir: string, before: Scan, after: Scan): Changes {
  const changed: string[] = []
  const created = new Set<string>()
  for (const [path, signature] of before.files) {
    const now =
      after.files.get(path) ?? (after.stopped === null ? GONE : signatureOf(join(dir, path)).signature)
    if (now === signature) continue
    changed.push(path)
  }
  for (const path of after.files.keys()) {
    if (before.files.has(path)) continue
    // Not seen before: new, unless the scan before had ended by then.
    if (before.stopped !== null && !isNewerThan(join(dir, path), before.at)) continue
    changed.push(path)
    if (before.stopped === null) created.add(path)
  }
  return { changed: changed.sort(), created }
}

function isNewerThan(path: string, at: number): boolean {
  const { stat } = signatureOf(path)
  return stat !== undefined && Number(stat.ctimeMs) >= at - COARSE_CLOCK_MS
}

/** The same as a part of other work that pauses. */
export function* scanFiles(dir: string, limits: ScanLimits = LIMITS): Pausing<Scan> {
  const at = Date.now()
  const started = performance.now()
  const files: Scan["files"] = new Map()
  const folders = [""]
  // Folders nearest to the top first: what people work on lies there more often than deep below.
  for (let next = 0; next < folders.length; next++) {
    const folder = folders[next] ?? ""
    for (const entry of entriesOf(join(dir, folder))) {
      yield
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) folders.push(path)
        continue
      }
      if (files.size >= limits.files) return { files, stopped: `after ${limits.files} files`, at }
      files.set(path, signatureOf(join(dir, path)).signature)
    }
    if (performance.now() - started > limits.ms)
      return { files, stopped: `after ${limits.ms} ms, at ${files.size} files`, at }
  }
  return { files, stopped: null, at }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return [] // Gone meanwhile, or not for us to see.
  }
}

// The times of files come from a clock that ticks a few times in a hundredth of a second.
const COARSE_CLOCK_MS = 10
const LIMITS: ScanLimits = { files: 20_000, ms: 1000 }
const SKIPPED = new Set([HIVE_FOLDER, ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"])
