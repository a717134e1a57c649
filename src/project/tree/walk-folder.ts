import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Pausing } from "../../shared/slices.ts"
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
