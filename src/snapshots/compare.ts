import { isSameEntry, type TreeEntry } from "../project/git/write-objects.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { decodePath } from "./ignored-and-nested-files.ts"
import { type PrivateRepository, runPrivateGit } from "./private-repository.ts"
import { splitByZero } from "./tracked-and-untracked-files.ts"
import type { WorktreeState } from "./worktree-state.ts"

export interface FileChange {
  /** The path relative to the top of the work tree. */
  path: string
  /** The file before the change; null if the change created it. */
  before: TreeEntry | null
  after: TreeEntry | null
  isIgnoredOrNested: boolean
}

export async function changesBetween(
  repository: PrivateRepository,
  before: WorktreeState,
  after: WorktreeState,
): Promise<Map<string, FileChange>> {
  const [files, others] = await Promise.all([
    differences(repository, before.files, after.files, false),
    differences(repository, before.ignoredAndNested, after.ignoredAndNested, true),
  ])
  for (const [path, change] of others) {
    const other = files.get(path)
    // If a file becomes ignored, it moves to the other tree, although its content has not changed.
    const before = other?.before ?? change.before
    const after = other?.after ?? change.after
    if (isSameEntry(before, after)) files.delete(path)
    else files.set(path, { ...change, before, after })
  }
  return files
}

/** All files of a tree, by path. Their content is in `after`, as if they had just been created. */
export function filesOfTree(repository: PrivateRepository, tree: string, isIgnoredOrNested: boolean) {
  return differences(repository, EMPTY_TREES[tree.length] ?? "", tree, isIgnoredOrNested)
}

async function differences(
  repository: PrivateRepository,
  before: string,
  after: string,
  isIgnoredOrNested: boolean,
): Promise<Map<string, FileChange>> {
  if (before === after) return new Map()
  const output = await runPrivateGit(repository, ["diff-tree", "-r", "-z", "--no-renames", before, after])
  return runInSlices(parseDifferences(output, isIgnoredOrNested))
}

/** Parses the output of `git diff-tree -z`: a field `:mode mode id id status`, then a field with the path. */
function* parseDifferences(output: Buffer, isIgnoredOrNested: boolean): Pausing<Map<string, FileChange>> {
  const found = new Map<string, FileChange>()
  let ids: string[] = []
  for (const field of splitByZero(output)) {
    yield
    if (field.startsWith(":") && ids.length === 0) {
      ids = field.slice(1).split(" ")
      continue
    }
    const [oldMode = "", newMode = "", oldId = "", newId = ""] = ids
    const path = isIgnoredOrNested ? decodePath(field) : field
    found.set(path, { path, before: entry(oldMode, oldId), after: entry(newMode, newId), isIgnoredOrNested })
    ids = []
  }
  return found
}

function entry(mode: string, oid: string): TreeEntry | null {
  return /^0+$/.test(mode) ? null : { mode, oid }
}

/** The id of the empty tree, by length: SHA-1 and SHA-256. Git knows these trees without an object. */
const EMPTY_TREES: Record<number, string> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
