import { join } from "node:path"
import ignore from "ignore"
import { findRepository } from "../../shared/git-folders.ts"
import { readTextOrUndefined } from "../../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { sortPausing } from "../../shared/sorting.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { GitFailure, runGit } from "../git/run-git.ts"
import { folderOf } from "../project-path.ts"
import { type IgnoreTest, NOTHING_IGNORED, signatureOf, walkFolder } from "./walk-folder.ts"

export interface ProjectFiles {
  files: ProjectFile[]
  notes: FileNote[]
  /** Where the list was cut off by a limit, such as "after 100000 files"; null if it is complete. */
  stopped: string | null
  source: "git" | "walk"
}

export interface ProjectFile {
  /** The path relative to the project, with slashes. */
  path: string
  bytes: number
  signature: string
}

export interface FileNote {
  path: string
  why: string
}

/** Lists files by `git ls-files`, or without git by a walk that respects `.gitignore`. Links are never followed. */
export async function listProjectFiles(dir: string): Promise<ProjectFiles> {
  const listed = findRepository(dir)?.folders == null ? undefined : await listByGit(dir)
  if (listed !== undefined) return runInSlices(lookAtEach(dir, listed))
  return runInSlices(listByWalk(dir))
}

function* listByWalk(dir: string): Pausing<ProjectFiles> {
  const files: ProjectFile[] = []
  const notes: FileNote[] = []
  const { stopped, unreadable } = yield* walkFolder(dir, { limits: LIMITS, ignoreIn }, (path, entry) => {
    if (entry.isSymbolicLink()) notes.push({ path, why: LINK })
    const { signature, stat } = signatureOf(join(dir, path))
    if (!entry.isFile() || stat === undefined) return false
    files.push({ path, bytes: Number(stat.size), signature })
    return true
  })
  for (const path of unreadable) notes.push({ path, why: UNREADABLE })
  return { files: yield* sortPausing(files, byPath), notes, stopped, source: "walk" }
}

type Listed = { output: Buffer; warnings: string }

async function listByGit(dir: string): Promise<Listed | undefined> {
  const kinds = ["--cached", "--others", "--exclude-standard", "--deduplicate"]
  const args = ["ls-files", "-z", ...kinds, "--", "."]
  let warnings = ""
  try {
    const onWarning = (text: string) => {
      warnings = text
    }
    const output = await runGit(dir, args, { timeoutMs: LIMIT_MS, onWarning })
    return { output, warnings }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    return undefined // Git is missing or refuses to read the repository: the caller walks the folders instead.
  }
}

function* lookAtEach(dir: string, { output, warnings }: Listed): Pausing<ProjectFiles> {
  const found: ProjectFiles = { files: [], notes: unreadable(warnings), stopped: null, source: "git" }
  for (let at = 0; at < output.length; ) {
    yield
    const end = output.indexOf(0, at)
    const listed = output.toString("utf8", at, end < 0 ? output.length : end)
    at = end < 0 ? output.length : end + 1
    const path = listed.replace(/\/$/, "")
    if (path === HIVE_FOLDER || path.startsWith(`${HIVE_FOLDER}/`)) continue
    const { signature, stat } = signatureOf(join(dir, path))
    if (stat === undefined) continue // The file was deleted, but is still in git's index.
    if (stat.isSymbolicLink()) found.notes.push({ path, why: LINK })
    else if (stat.isDirectory()) found.notes.push({ path, why: "a repository inside the project, not read" })
    else if (stat.isFile()) {
      if (found.files.length >= LIMITS.files) {
        found.stopped = `after ${LIMITS.files} files`
        break
      }
      found.files.push({ path, bytes: Number(stat.size), signature })
    }
  }
  return { ...found, files: yield* sortPausing(found.files, byPath) }
}

const byPath = (a: ProjectFile, b: ProjectFile) => (a.path < b.path ? -1 : 1)

function unreadable(warnings: string): FileNote[] {
  return [...warnings.matchAll(/could not open directory '([^'\n]*)'/g)].map(([, path = ""]) => ({
    path: path.replace(/\/$/, ""),
    why: UNREADABLE,
  }))
}

const LINK = "a symbolic link, not followed"
const UNREADABLE = "a folder that cannot be read"
const LIMIT_MS = 20_000
const LIMITS = { files: 100_000, ms: 20_000 }

/** Adds a folder's `.gitignore` rules to those of the folders above it. Deeper rules win. */
function ignoreIn(dir: string, folder: string, above: IgnoreTest): IgnoreTest {
  const text = readTextOrUndefined(join(dir, folder, ".gitignore"))
  if (text === undefined) return above
  const rules = ignore().add(text.slice(0, MAX_CHARS))
  const prefix = folder === "" ? 0 : folder.length + 1
  return (path) => {
    const { ignored, unignored } = rules.test(path.slice(prefix))
    return ignored || (!unignored && above(path))
  }
}

export function ignoreTest(dir: string): IgnoreTest {
  const known = new Map<string, IgnoreTest>()

  function rulesFor(folder: string): IgnoreTest {
    const above = folder === "" ? NOTHING_IGNORED : rulesFor(folderOf(folder))
    const rules = known.get(folder) ?? ignoreIn(dir, folder, above)
    known.set(folder, rules)
    return rules
  }

  const isIgnored: IgnoreTest = (path) => {
    const parent = folderOf(path.replace(/\/$/, ""))
    return (parent !== "" && isIgnored(`${parent}/`)) || rulesFor(parent)(path)
  }
  return (path) => !path.startsWith("..") && isIgnored(path)
}

const MAX_CHARS = 100_000
