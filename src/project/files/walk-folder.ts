import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { orUndefined } from "../../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"

interface WalkOptions {
  limits: { files: number; ms: number }
  /** Adds the rules of a folder's `.gitignore` to those above it. If not given, nothing is ignored. */
  ignoreIn?: (dir: string, folder: string, above: IgnoreTest) => IgnoreTest
}

/** Whether `.gitignore` files exclude a path; a folder's path ends with a slash. */
export type IgnoreTest = (path: string) => boolean

export const NOTHING_IGNORED: IgnoreTest = () => false

/** Walks breadth first, skipping dependencies and caches. `onEntry` returns whether an entry counts towards the limit. */
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
    const entries = orUndefined(() => readdirSync(join(dir, folder.path), { withFileTypes: true }))
    if (entries === undefined) unreadable.push(folder.path)
    entries?.sort((a, b) => (a.name < b.name ? -1 : 1))
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

const NEVER_WALKED = new Set([HIVE_FOLDER, ...".git .hg .svn node_modules .venv venv __pycache__".split(" ")])

/** A text made of a file's metadata, which differs after every change of the file; "" for a missing file. */
export function signatureOf(path: string): { signature: string; stat: BigIntStats | undefined } {
  const stat = orUndefined(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  if (stat === undefined) return { signature: GONE, stat }
  // Programs can set `mtime` back, but not `ctime`.
  const { size, mtimeNs, ctimeNs, ino, mode } = stat
  return { signature: `${size} ${mtimeNs} ${ctimeNs} ${ino} ${mode}`, stat }
}

const GONE = ""

export interface Scan {
  files: Map<string, string>
  stopped: string | null
  at: number
}

export async function scanTree(dir: string): Promise<Scan> {
  const at = Date.now()
  const files: Scan["files"] = new Map()
  const walk = walkFolder(dir, { limits: LIMITS }, (path) => {
    files.set(path, signatureOf(join(dir, path)).signature)
    return true
  })
  return { files, stopped: (await runInSlices(walk)).stopped, at }
}

/** The files that changed between two scans, sorted. Files that an incomplete scan did not reach are checked on disk. */
export function changedInScan(dir: string, before: Scan, after: Scan) {
  const changed: string[] = []
  const created = new Set<string>()
  for (const [path, signature] of before.files) {
    const missing = after.stopped === null ? GONE : signatureOf(join(dir, path)).signature
    if ((after.files.get(path) ?? missing) !== signature) changed.push(path)
  }
  for (const path of after.files.keys()) {
    if (before.files.has(path)) continue
    // The file is new, unless the earlier scan was incomplete and the file is older than that scan.
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

// File systems may round the time of a change down by a few milliseconds.
const COARSE_CLOCK_MS = 10
const LIMITS = { files: 20_000, ms: 1000 }
