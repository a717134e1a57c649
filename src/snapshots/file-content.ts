import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { signatureOf } from "../project/files/walk-folder.ts"
import { GitFailure } from "../project/git/run-git.ts"
import { type TreeEntry, writeObject } from "../project/git/write-objects.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { type PrivateRepository, runPrivateGit, type SnapshotStore } from "./private-repository.ts"

export interface FileInfo {
  /** The path relative to the top of the work tree. */
  path: string
  /** Made of size, times and inode. A file with the same signature is not read again. */
  signature: string
  mode: string
  bytes: number
  changedMs: number
}

/** Returns undefined if the path is missing or unreadable, or neither a file nor a link: opening a pipe would block. */
export function fileInfo(top: string, path: string): FileInfo | undefined {
  const { stat, signature: known } = signatureOf(join(top, path))
  if (stat === undefined || (!stat.isFile() && !stat.isSymbolicLink())) return undefined
  const mode = stat.isSymbolicLink() ? LINK : (stat.mode & 0o100n) === 0n ? "100644" : "100755"
  // A file written just now may be written again within the same clock tick, so its signature must not match later.
  const now = Date.now()
  const signature = now - Number(stat.ctimeMs) < CLOCK_TICK_MS ? `${known} ${now}` : known
  return { path, mode, bytes: Number(stat.size), changedMs: Number(stat.mtimeMs), signature }
}

export function contentKeeper(repository: PrivateRepository, store: SnapshotStore) {
  let known = new Map<string, FileInfo & TreeEntry>()

  /** Saves the contents, and returns the readable files by path. Does not read files again that have not changed. */
  return async function keepContents(files: readonly FileInfo[]): Promise<Map<string, FileInfo & TreeEntry>> {
    const isKnown = ({ path, signature }: FileInfo) => known.get(path)?.signature === signature
    const fresh = files.filter((file) => !isKnown(file))
    const isSmall = ({ bytes, mode }: FileInfo) => mode === LINK || bytes <= MAX_SMALL_BYTES
    const small = fresh.filter(isSmall).slice(0, MAX_SMALL_FILES)
    const ids = await runInSlices(writeSmall(small))
    const others = fresh.filter((file) => !ids.has(file.path) && file.mode !== LINK)
    await inParts(others, async (part) => {
      const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"]
      const input = part.map(({ path }) => `${quoted(path)}\n`).join("")
      const output = (await runPrivateGit(repository, args, { input })).toString("latin1").trimEnd()
      for (const [n, id] of output.split("\n").entries()) ids.set(part[n]?.path ?? "", id)
      for (const { bytes } of part) store.newBytes += bytes
    })
    const kept = new Map<string, FileInfo & TreeEntry>()
    for (const file of files) {
      const oid = ids.get(file.path) ?? (isKnown(file) ? known.get(file.path)?.oid : undefined)
      if (oid !== undefined) kept.set(file.path, { ...file, oid })
    }
    known = kept
    return kept
  }

  function* writeSmall(files: readonly FileInfo[]): Pausing<Map<string, string>> {
    const ids = new Map<string, string>()
    for (const { path, mode } of files) {
      yield
      const content = readSmall(join(repository.top, path), mode === LINK)
      if (content !== undefined) ids.set(path, writeObject(store, "blob", content))
    }
    return ids
  }
}

/** Reads a small file or link; undefined if it cannot be read, or has become something else. */
function readSmall(path: string, isLink: boolean): Buffer | undefined {
  let file: number
  try {
    if (isLink) return readlinkSync(path, { encoding: "buffer" })
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
  try {
    const stat = fstatSync(file)
    return stat.isFile() && stat.size <= MAX_SMALL_BYTES ? readFileSync(file) : undefined
  } catch {
    return undefined // After a disk error the file counts as unreadable.
  } finally {
    closeSync(file)
  }
}

/** Runs a git command on many files. If it fails, halves the batch until the unreadable files are found, and returns them. */
export async function inParts<T>(
  items: readonly T[],
  job: (part: readonly T[]) => Promise<void>,
): Promise<T[]> {
  if (items.length === 0) return []
  try {
    await job(items)
    return []
  } catch (error) {
    if (!(error instanceof GitFailure) || error.limitMs !== null) throw error
    if (error.code !== undefined || FAILS_FOR_ALL.test(error.said)) throw error
    if (items.length === 1) return [...items]
    const half = Math.ceil(items.length / 2)
    return [...(await inParts(items.slice(0, half), job)), ...(await inParts(items.slice(half), job))]
  }
}

/** Escapes a name with quotes or line breaks in it, as git expects it on standard input. */
function quoted(path: string): string {
  const octal = (sign: string) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`
  const escaped = path.replace(/["\\\p{Cc}]/gu, (sign) => (sign < "\u0080" ? octal(sign) : sign))
  return escaped === path ? path : `"${escaped}"`
}

export const LINK = "120000"
/** Larger files, and files beyond MAX_SMALL_FILES, are hashed by git, because hashing here would block the event loop. */
export const MAX_SMALL_BYTES = 128 * 1024
export const MAX_SMALL_FILES = 64
const CLOCK_TICK_MS = 50
const FAILS_FOR_ALL =
  /No space left|Disk quota|Read-only file system|unable to write|insufficient permission/i
