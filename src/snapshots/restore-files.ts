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
import { systemCode } from "../shared/system-error.ts"
import { changesBetween, type FileChange, type FileEntry, isSameEntry } from "./compare.ts"
import { type PrivateRepository, readBlobs } from "./private-repository.ts"
import type { SnapshotRecord } from "./records.ts"
import type { TreeState } from "./state.ts"

export interface PlannedFile {
  /** Relative to the top of the work tree. */
  path: string
  entry: FileEntry
  isExtra: boolean
  /** The state that the plan was made for has what is there now. */
  isKnown: boolean
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
 * What restoring a snapshot would do to files. Without paths it is about what the call has changed; with paths, about
 * everything below them that is not as it was.
 */
export async function planFiles(
  repository: PrivateRepository,
  record: Pick<SnapshotRecord, "before" | "after">,
  now: TreeState,
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
    const { path, isExtra } = change
    if (paths?.some((each) => isSameOrBelow(path, each)) === false) continue
    const is = current.has(path) ? (current.get(path)?.after ?? null) : change.before
    if (isSameEntry(is, change.before)) continue
    if (change.before === null) {
      plan.created.push(path)
      continue
    }
    const isPrivate = isExtra || current.get(path)?.isExtra === true
    const file = { path, entry: change.before, isExtra: isPrivate, isKnown: is !== null }
    const why = obstacle(repository.top, path, is !== null) ?? reasonToKeep(is, called.get(path), after)
    if (why === undefined) plan.write.push(file)
    else plan.conflicts.push({ ...file, why })
  }
  return plan
}

/** Undefined where the file is still as the call has left it. */
function reasonToKeep(
  is: FileEntry | null,
  called: FileChange | undefined,
  after: TreeState | null,
): string | undefined {
  if (is === null) return undefined
  if (after === null) return "the call was not seen to end, so the change may be someone else's"
  if (called === undefined) return "another call or a person has changed it"
  return isSameEntry(is, called.after) ? undefined : "it has changed since"
}

/**
 * Why a file cannot be written, not even by force. A link on the way would lead the write elsewhere; a folder, and what
 * the snapshot of now does not have, could not be brought back.
 */
function obstacle(top: string, path: string, isKnown: boolean): string | undefined {
  const parts = path.split("/")
  for (let n = 1; n <= parts.length; n++) {
    const at = parts.slice(0, n).join("/")
    const stat = lstatSync(join(top, at), { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (n < parts.length && !stat.isDirectory())
      return `${at} is ${stat.isSymbolicLink() ? "a link" : "a file"} now`
    if (n === parts.length && stat.isDirectory()) return `${at} is a folder now`
  }
  return isKnown ? undefined : "what is there now is in no snapshot"
}

/** Writes files, each in one step. Returns those that could not be written, with the reason. */
export async function writeFiles(
  repository: PrivateRepository,
  files: readonly PlannedFile[],
): Promise<{ path: string; why: string }[]> {
  const failed: { path: string; why: string }[] = []
  const scratch = mkdtempSync(join(repository.dir, "take-"))
  try {
    for (let n = 0; n < files.length; n += BATCH) {
      const batch = files.slice(n, n + BATCH)
      const ids = batch.map(({ entry }) => entry.oid)
      const contents = await readBlobs(repository, ids)
      for (const file of batch) {
        try {
          const content = contents.get(file.entry.oid)
          if (content === undefined) throw new Error("the snapshot has lost its content")
          const inTheWay = obstacle(repository.top, file.path, file.isKnown)
          if (inTheWay !== undefined) throw new Error(inTheWay)
          writeOne(repository.top, file, content, scratch)
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
  { path, entry, isExtra }: PlannedFile,
  content: Buffer,
  scratch: string,
): void {
  const target = join(top, path)
  const there = lstatSync(target, { throwIfNoEntry: false })
  // Git keeps no more of the mode than whether a file can be run; a secret must not become readable for others.
  const readable = there?.isFile() ? there.mode & 0o666 : isExtra ? 0o600 : 0o666
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
      if (entry.mode === LINK) symlinkSync(content.toString("utf8"), fresh)
      else writeFileSync(fresh, content, { mode })
      if (entry.mode !== LINK && there?.isFile()) chmodSync(fresh, mode)
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

const LINK = "120000"
const PROGRAM = "100755"
// So that not too much is in memory at once.
const BATCH = 4
