import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"

export interface WalkOptions {
  limits: { files: number; ms: number }
  /** The rules of a folder with a `.gitignore`, on top of those above it. Without it nothing is ignored. */
  ignoreIn?: (dir: string, folder: string, above: IgnoreTest) => IgnoreTest
}

/** Whether `.gitignore` files exclude a path; a folder's path ends with a slash. */
export type IgnoreTest = (path: string) => boolean

export const NOTHING_IGNORED: IgnoreTest = () => false

/**
 * Walks a folder without git, breadth first: people work near the top more often than deep below. Links are not followed, and
 * downloaded or computed folders are left out. `onEntry` gets all but folders and returns whether it counts as a file.
 * Returns why the walk ended early, and folders that cannot be read.
 */
export function* walkFolder(
  dir: string,
  { limits, ignoreIn }: WalkOptions,
  onEntry: (path: string, entry: Dirent) => boolean,
): Pausing<{ stopped: string | null; unreadable: string[] }> {
  const started = performance.now()
  const unreadable: string[] = []
  const folders: { path: string; isIgnored: IgnoreTest }[] = [{ path: "", isIgnored: NOTHING_IGNORED }]
  let count = 0
  for (const folder of folders) {
    const entries = entriesOf(join(dir, folder.path))
    if (entries === undefined) unreadable.push(folder.path)
    const hasRules = entries?.some(({ name }) => name === ".gitignore")
    const isIgnored = (hasRules && ignoreIn?.(dir, folder.path, folder.isIgnored)) || folder.isIgnored
    for (const entry of entries ?? []) {
      yield
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`
      if (entry.isDirectory()) {
        if (!NEVER_WALKED.has(entry.name) && !isIgnored(`${path}/`)) folders.push({ path, isIgnored })
      } else if (!isIgnored(path)) {
        if (count >= limits.files) return { stopped: `after ${limits.files} files`, unreadable }
        if (onEntry(path, entry)) count++
      }
    }
    if (performance.now() - started > limits.ms)
      return { stopped: `after ${limits.ms} ms, at ${count} files`, unreadable }
  }
  return { stopped: null, unreadable }
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return undefined // Deleted meanwhile, or not readable.
  }
}

const NEVER_WALKED = new Set([
  HIVE_FOLDER,
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
])

/** Changes with every change of a file, without reading it; "" for a missing file. */
export function signatureOf(path: string): { signature: string; stat: BigIntStats | undefined } {
  const stat = lstat(path)
  if (stat === undefined) return { signature: GONE, stat }
  // `ctime` cannot be set back, as `mtime` can.
  const { size, mtimeNs, ctimeNs, ino, mode } = stat
  return { signature: `${size} ${mtimeNs} ${ctimeNs} ${ino} ${mode}`, stat }
}

function lstat(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // A part of the path is no folder, or not readable.
  }
}

const GONE = ""

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
