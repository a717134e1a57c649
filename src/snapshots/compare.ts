import { type Pausing, runInSlices } from "../shared/slices.ts"
import { decodePath } from "./extra-tree.ts"
import { namesIn } from "./files-tree.ts"
import { type PrivateRepository, runPrivate } from "./private-repository.ts"
import type { TreeState } from "./state.ts"

/** A file in a tree. */
export interface FileEntry {
  mode: string
  oid: string
}

export interface FileChange {
  /** Relative to the top of the work tree. */
  path: string
  /** Null where there was nothing. */
  before: FileEntry | null
  after: FileEntry | null
  /** An ignored file, or one of a nested repository. */
  isExtra: boolean
}

/** What differs between two states, by path. */
export async function changesBetween(
  repository: PrivateRepository,
  before: TreeState,
  after: TreeState,
): Promise<Map<string, FileChange>> {
  const [files, extra] = await Promise.all([
    differences(repository, before.files, after.files, false),
    differences(repository, before.extra, after.extra, true),
  ])
  for (const [path, change] of extra) {
    const other = files.get(path)
    // A file that is ignored from now on has left one tree for the other.
    const both = other && {
      ...change,
      before: other.before ?? change.before,
      after: other.after ?? change.after,
    }
    if (both !== undefined && isSameEntry(both.before, both.after)) files.delete(path)
    else files.set(path, both ?? change)
  }
  return files
}

/** All entries of a tree, by path. */
export async function entriesOf(
  repository: PrivateRepository,
  tree: string,
  isExtra: boolean,
): Promise<Map<string, FileEntry>> {
  const output = await runPrivate(repository, ["ls-tree", "-r", "-z", tree])
  return runInSlices(parseTree(output, isExtra))
}

export function isSameEntry(one: FileEntry | null, other: FileEntry | null): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode
}

async function differences(
  repository: PrivateRepository,
  before: string,
  after: string,
  isExtra: boolean,
): Promise<Map<string, FileChange>> {
  if (before === after) return new Map()
  const output = await runPrivate(repository, ["diff-tree", "-r", "-z", "--no-renames", before, after])
  return runInSlices(parseDifferences(output, isExtra))
}

/** `:mode mode id id status`, then the path. */
function* parseDifferences(output: Buffer, isExtra: boolean): Pausing<Map<string, FileChange>> {
  const found = new Map<string, FileChange>()
  let ids: string[] = []
  for (const field of namesIn(output)) {
    yield
    if (field.startsWith(":") && ids.length === 0) {
      ids = field.slice(1).split(" ")
      continue
    }
    const [oldMode = "", newMode = "", oldId = "", newId = ""] = ids
    const path = isExtra ? decodePath(field) : field
    found.set(path, { path, before: entry(oldMode, oldId), after: entry(newMode, newId), isExtra })
    ids = []
  }
  return found
}

function* parseTree(output: Buffer, isExtra: boolean): Pausing<Map<string, FileEntry>> {
  const found = new Map<string, FileEntry>()
  for (const line of namesIn(output)) {
    yield
    const tab = line.indexOf("\t")
    const [mode = "", , oid = ""] = line.slice(0, tab).split(" ")
    const path = line.slice(tab + 1)
    found.set(isExtra ? decodePath(path) : path, { mode, oid })
  }
  return found
}

function entry(mode: string, oid: string): FileEntry | null {
  return /^0+$/.test(mode) ? null : { mode, oid }
}
