import { readFileSync } from "node:fs"
import { join } from "node:path"
import ignore from "ignore"
import { findRepository } from "../../shared/git-folders.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { sortPausing } from "../../shared/sorting.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { GitFailure, runGit } from "../git/run-git.ts"
import { type IgnoreTest, NOTHING_IGNORED, signatureOf, type WalkOptions, walkFolder } from "./walk-folder.ts"

export interface ProjectFiles {
  /** Sorted by path. */
  files: ProjectFile[]
  notes: FileNote[]
  /** Why the list ended before all were seen; null where all were. */
  stopped: string | null
  source: "git" | "walk"
}

export interface ProjectFile {
  /** Relative to the project, with slashes. */
  path: string
  bytes: number
  /** Changes with every change of the file. */
  signature: string
}

type Limits = WalkOptions["limits"]

export interface FileNote {
  path: string
  why: string
}

/**
 * Git's own list where there is git: tracked files, and untracked ones that it does not ignore. Else a walk that honours
 * `.gitignore`. Links are never followed, so nothing outside the project is listed and no loop is walked.
 */
export async function listProjectFiles(dir: string, limits: Limits = LIMITS): Promise<ProjectFiles> {
  const listed = findRepository(dir)?.folders == null ? undefined : await listByGit(dir)
  if (listed !== undefined) return runInSlices(lookAtEach(dir, listed, limits))
  return runInSlices(listByWalk(dir, limits))
}

function* listByWalk(dir: string, limits: Limits): Pausing<ProjectFiles> {
  const files: ProjectFile[] = []
  const notes: FileNote[] = []
  const { stopped, unreadable } = yield* walkFolder(dir, { limits, ignoreIn }, (path, entry) => {
    if (entry.isSymbolicLink()) notes.push({ path, why: LINK })
    const { signature, stat } = signatureOf(join(dir, path))
    if (!entry.isFile() || stat === undefined) return false
    files.push({ path, bytes: Number(stat.size), signature })
    return true
  })
  for (const path of unreadable) notes.push({ path, why: UNREADABLE })
  return { files: yield* sortPausing(files, byPath), notes, stopped, source: "walk" }
}

interface Listed {
  output: Buffer
  /** Git's warnings about folders that it cannot read. */
  warnings: string
}

async function listByGit(dir: string): Promise<Listed | undefined> {
  const kinds = ["--cached", "--others", "--exclude-standard", "--deduplicate"]
  const args = ["ls-files", "-z", ...kinds, "--", "."]
  let warnings = ""
  try {
    const output = await runGit(dir, args, {
      timeoutMs: LIMIT_MS,
      onWarning: (text) => {
        warnings = text
      },
    })
    return { output, warnings }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    return undefined // No program, or a repository it will not read: the folder itself can still be walked.
  }
}

function* lookAtEach(dir: string, { output, warnings }: Listed, limits: Limits): Pausing<ProjectFiles> {
  const found: ProjectFiles = { files: [], notes: unreadable(warnings), stopped: null, source: "git" }
  for (let at = 0; at < output.length; ) {
    yield
    const end = output.indexOf(0, at)
    const listed = output.toString("utf8", at, end < 0 ? output.length : end)
    at = end < 0 ? output.length : end + 1
    const path = listed.replace(/\/$/, "")
    if (path === HIVE_FOLDER || path.startsWith(`${HIVE_FOLDER}/`)) continue
    const { signature, stat } = signatureOf(join(dir, path))
    if (stat === undefined) continue // Deleted, and git has not been told.
    if (stat.isSymbolicLink()) found.notes.push({ path, why: LINK })
    else if (stat.isDirectory()) found.notes.push({ path, why: "a repository of its own" })
    else if (stat.isFile()) {
      if (found.files.length >= limits.files) {
        found.stopped = `after ${limits.files} files`
        break
      }
      found.files.push({ path, bytes: Number(stat.size), signature })
    }
  }
  return { ...found, files: yield* sortPausing(found.files, byPath) }
}

function byPath(a: ProjectFile, b: ProjectFile): boolean {
  return a.path < b.path
}

function unreadable(warnings: string): FileNote[] {
  return [...warnings.matchAll(/could not open directory '([^'\n]*)'/g)].map(([, path = ""]) => ({
    path: path.replace(/\/$/, ""),
    why: UNREADABLE,
  }))
}

const LINK = "a link, not followed"
const UNREADABLE = "a folder that may not be read"
const LIMIT_MS = 20_000
const LIMITS: Limits = { files: 100_000, ms: 20_000 }

/** The rules of a folder on top of those above it: the last rule that fits decides. */
function ignoreIn(dir: string, folder: string, above: IgnoreTest): IgnoreTest {
  const text = readText(join(dir, folder, ".gitignore"))
  if (text === "") return above
  const rules = ignore().add(text)
  const prefix = folder === "" ? 0 : folder.length + 1
  return (path) => {
    const { ignored, unignored } = rules.test(path.slice(prefix))
    return ignored || (!unignored && above(path))
  }
}

/** Tests any path of a project, with the rules of all folders above it. */
export function ignoreTest(dir: string): IgnoreTest {
  const known = new Map<string, IgnoreTest>()

  function rulesFor(folder: string): IgnoreTest {
    const above = folder === "" ? NOTHING_IGNORED : rulesFor(parentOf(folder))
    const rules = known.get(folder) ?? ignoreIn(dir, folder, above)
    known.set(folder, rules)
    return rules
  }

  const isIgnored: IgnoreTest = (path) => {
    const parent = parentOf(path.replace(/\/$/, ""))
    return (parent !== "" && isIgnored(`${parent}/`)) || rulesFor(parent)(path)
  }
  return (path) => !path.startsWith("..") && isIgnored(path)
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, MAX_CHARS)
  } catch {
    return "" // Not there, or not readable.
  }
}

const MAX_CHARS = 100_000
