import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { signatureOf } from "../../project/files/walk-folder.ts"
import { isSameEntry, type TreeEntry } from "../../project/git/write-objects.ts"
import { systemCode } from "../../shared/system-error.ts"
import { changesBetween, type FileChange } from "../../snapshots/compare.ts"
import { LINK } from "../../snapshots/file-content.ts"
import { type PrivateRepository, readObjects } from "../../snapshots/private-repository.ts"
import type { SnapshotRecord } from "../../snapshots/records.ts"
import type { WorktreeState } from "../../snapshots/worktree-state.ts"

export interface PlannedFile {
  path: string
  entry: TreeEntry
  isIgnoredOrNested: boolean
  /** True if the snapshot taken for this plan has the present content of the file. */
  isInSnapshot: boolean
}

export interface FilePlan {
  /** Files that have not changed since the call, so they can be written back. */
  write: PlannedFile[]
  conflicts: (PlannedFile & { why: string })[]
  created: string[]
}

/** Without `paths`, plans the files that the call changed; with `paths`, all files in these paths that differ from `before`. */
export async function planFiles(
  repository: PrivateRepository,
  record: Pick<SnapshotRecord, "before" | "after">,
  now: WorktreeState,
  paths: readonly string[] | null,
): Promise<FilePlan> {
  const { before, after } = record
  const [called, current] = await Promise.all([
    changesBetween(repository, before, after ?? now),
    changesBetween(repository, before, now),
  ])
  const plan: FilePlan = { write: [], conflicts: [], created: [] }
  const wanted = paths === null ? called : current
  for (const change of wanted.values()) {
    const { path, isIgnoredOrNested } = change
    if (paths?.some((each) => isSameOrBelow(path, each)) === false) continue
    const is = current.has(path) ? (current.get(path)?.after ?? null) : change.before
    if (isSameEntry(is, change.before)) continue
    if (change.before === null) {
      plan.created.push(path)
      continue
    }
    const isPrivate = isIgnoredOrNested || current.get(path)?.isIgnoredOrNested === true
    const file = { path, entry: change.before, isIgnoredOrNested: isPrivate, isInSnapshot: is !== null }
    const why = whyNotWritable(repository.top, path, is !== null) ?? reasonToKeep(is, called.get(path), after)
    if (why === undefined) plan.write.push(file)
    else plan.conflicts.push({ ...file, why })
  }
  return plan
}

function reasonToKeep(is: TreeEntry | null, called: FileChange | undefined, after: WorktreeState | null) {
  if (is === null) return undefined
  if (after === null) return "the end of the call was not recorded, so another call may have changed the file"
  if (called === undefined) return "another call or a person has changed the file"
  return isSameEntry(is, called.after) ? undefined : "the file has changed since the call"
}

/** Why even `force` does not write a file: a link may lead elsewhere, or unsaved content would be lost. */
function whyNotWritable(top: string, path: string, isInSnapshot: boolean): string | undefined {
  const parts = path.split("/")
  for (let n = 1; n <= parts.length; n++) {
    const at = parts.slice(0, n).join("/")
    const stat = lstatSync(join(top, at), { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (n < parts.length && !stat.isDirectory())
      return `${at} is ${stat.isSymbolicLink() ? "a link" : "a file"} now`
    if (n === parts.length && stat.isDirectory()) return `${at} is a folder now`
  }
  return isInSnapshot ? undefined : "its present content is in no snapshot and would be lost"
}

export function signaturesOf(top: string, files: readonly PlannedFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path }) => [path, signatureOf(join(top, path)).signature]))
}

/** Replaces each file in one step, unless its signature shows that it changed meanwhile. Returns the failures. */
export async function writeFiles(
  repository: PrivateRepository,
  files: readonly PlannedFile[],
  signatures: ReadonlyMap<string, string>,
): Promise<{ path: string; why: string }[]> {
  const failed: { path: string; why: string }[] = []
  const scratch = mkdtempSync(join(repository.dir, "take-"))
  try {
    for (let n = 0; n < files.length; n += BATCH) {
      const batch = files.slice(n, n + BATCH)
      const contents = await readObjects(
        repository,
        batch.map(({ entry }) => entry.oid),
      )
      for (const [at, file] of batch.entries()) {
        try {
          const content = contents[at]?.content
          if (content === undefined) throw new Error("the snapshot no longer has its content")
          const inTheWay = whyNotWritable(repository.top, file.path, file.isInSnapshot)
          if (inTheWay !== undefined) throw new Error(inTheWay)
          writeOne(repository.top, file, content, scratch, signatures.get(file.path))
        } catch (error) {
          failed.push({ path: file.path, why: error instanceof Error ? error.message : String(error) })
        }
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return failed
}

function writeOne(
  top: string,
  { path, entry, isIgnoredOrNested }: PlannedFile,
  content: Buffer,
  scratch: string,
  signature: string | undefined,
): void {
  const target = join(top, path)
  const there = lstatSync(target, { throwIfNoEntry: false })
  // Git stores only whether a file is executable. A new ignored file is readable for the user alone: it may hold a secret.
  const readable = there?.isFile() ? there.mode & 0o666 : isIgnoredOrNested ? 0o600 : 0o666
  const mode = entry.mode === PROGRAM ? readable | ((readable >> 2) & 0o111) : readable
  mkdirSync(dirname(target), { recursive: true })
  try {
    writeVia(join(scratch, "file"))
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error
    // The work tree is on another disk than `scratch`: a file can only be renamed on its own disk.
    writeVia(join(dirname(target), `.hivemind-${process.pid}.tmp`))
  }

  function writeVia(fresh: string): void {
    rmSync(fresh, { force: true })
    try {
      if (entry.mode === LINK) symlinkSync(content, fresh)
      else writeFileSync(fresh, content, { mode })
      if (entry.mode !== LINK && there?.isFile()) chmodSync(fresh, mode)
      if (signatureOf(target).signature !== signature) throw new Error(JUST_CHANGED)
      renameSync(fresh, target)
    } finally {
      rmSync(fresh, { force: true })
    }
  }
}

function isSameOrBelow(path: string, folder: string): boolean {
  const base = folder.replace(/\/+$/, "")
  return base === "" || path === base || path.startsWith(`${base}/`)
}

export const JUST_CHANGED = "the file changed during the restore"
const PROGRAM = "100755"
const BATCH = 4
