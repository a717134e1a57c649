import { join } from "node:path"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { GONE, signatureOf } from "./file-signature.ts"
import { walkFolder } from "./walk-folder.ts"

export interface Scan {
  /** Signatures by path, relative to the folder. */
  files: Map<string, string>
  /** Why it ended before all were seen; null where all were. */
  stopped: string | null
  at: number
}

/** Scans a folder, except downloaded or generated files. Links are not followed. */
export function scanTree(dir: string): Promise<Scan> {
  return runInSlices(scanFiles(dir))
}

function* scanFiles(dir: string): Pausing<Scan> {
  const at = Date.now()
  const files: Scan["files"] = new Map()
  const { stopped } = yield* walkFolder(dir, { limits: LIMITS }, (path) => {
    files.set(path, signatureOf(join(dir, path)).signature)
    return true
  })
  return { files, stopped, at }
}

/** The files that have changed between two scans, sorted. Files that an incomplete scan has not seen are looked up. */
export function changedInScan(
  dir: string,
  before: Scan,
  after: Scan,
): { changed: string[]; created: ReadonlySet<string> } {
  const changed: string[] = []
  const created = new Set<string>()
  for (const [path, signature] of before.files) {
    const missing = after.stopped === null ? GONE : signatureOf(join(dir, path)).signature
    if ((after.files.get(path) ?? missing) !== signature) changed.push(path)
  }
  for (const path of after.files.keys()) {
    if (before.files.has(path)) continue
    // New, unless the scan before had ended by then.
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

// The clock of file times ticks a few times in a hundredth of a second.
const COARSE_CLOCK_MS = 10
const LIMITS = { files: 20_000, ms: 1000 }
