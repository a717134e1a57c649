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
  /** Relative to the top of the work tree. */
  path: string
  entry: TreeEntry
  isIgnoredOrNested: boolean
  /** The snapshot that the plan was made on has the present content. */
  isInSnapshot: boolean
}

export interface FilePlan {
  /** To be written: they have not changed since the call. */
  write: PlannedFile[]
  /** Changed since, or in the way: kept unless forced. */
  conflicts: (PlannedFile & { why: string })[]
  /** The call has created them: nothing is deleted. */
  created: string[]
}

/**
 * Plans the restore of files. Without paths it is about the files that the call has changed; with paths, about
 * everything below them that is not as it was.
 */
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

/** Undefined where the file is still as the call has left it. */
function reasonToKeep(
  is: TreeEntry | null,
  called: FileChange | undefined,
  after: WorktreeState | null,
): string | undefined {
  if (is === null) return undefined
  if (after === null) return "the call was not seen to end, so the change may not be the call's own"
  if (called === undefined) return "another call or a person has changed it"
  return isSameEntry(is, called.after) ? undefined : "it has changed since"
}

/**
 * Why a file cannot be written, not even by force. A link on the way would lead the write elsewhere; a folder, or content
 * that is in no snapshot, could not be brought back.
 */
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
  return isInSnapshot ? undefined : "the present file is in no snapshot"
}

/** Size, times and identity of each file, to tell later whether it has changed. */
export function signaturesOf(top: string, files: readonly PlannedFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path }) => [path, signatureOf(join(top, path)).signature]))
}

/**
 * Writes files, each in one step, unless it differs from `signatures`: those are older than the snapshot that undoes this.
 * Returns those that could not be written, with the reason.
 */
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
          if (content === undefined) throw new Error("the snapshot has lost its content")
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
  // Git keeps no more of the mode than whether a file can be run; a secret must not become readable for others.
  const readable = there?.isFile() ? there.mode & 0o666 : isIgnoredOrNested ? 0o600 : 0o666
  const mode = entry.mode === PROGRAM ? readable | ((readable >> 2) & 0o111) : readable
  mkdirSync(dirname(target), { recursive: true })
  try {
    writeVia(join(scratch, "file"))
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error
    // The work tree is on another disk than the repository.
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

export const JUST_CHANGED = "it has just changed"
const PROGRAM = "100755"
// So that not too much is in memory at once.
const BATCH = 4
