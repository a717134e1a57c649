import { closeSync, readSync } from "node:fs"
import { join } from "node:path"
import { HiveError } from "../shared/error.ts"
import type { Clock, Source } from "../shared/ids.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { systemCode } from "../shared/system-error.ts"
import { closedStore } from "./errors.ts"
import { tempNameFor, writeAtomic, writeWhole } from "./files/atomic-write.ts"
import { listFolder, syncFileAside } from "./files/folder.ts"
import { mkdirSync, openSync, renameSync, rmSync, unlink } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { readText } from "./files/text-file.ts"
import { lockAge, underLock } from "./lock.ts"

/** A file that is read in pieces, from anywhere in it. */
export interface PiecewiseFile {
  /** So many bytes from there on, in memory of their own; fewer at the end of the file. */
  read(at: number, bytes: number): Buffer
  close(): void
}

/**
 * The files of an index that is derived from the graph: a list that says which ones count, and those. They can be deleted
 * at any time. Their content is up to the caller.
 */
export interface IndexFiles {
  list(): string | undefined
  /** Undefined where there is no such file. */
  open(file: string): PiecewiseFile | undefined
  /** A new file, which counts once the list names it; returns its name. */
  write(pieces: Iterable<Buffer>): Promise<string>
  /** Puts a list in the place of the one that the caller knows, and removes all other files; false where another came first. */
  replaceList(known: string | undefined, list: string, files: readonly string[]): Promise<boolean>
  /** True while a process holds the lock that a new list needs. */
  isLocked(): boolean
  /** Waits for that lock, and leaves it free. */
  unlocked(): Promise<void>
  isClosed(): boolean
  now: Clock
}

export function openIndexFiles(
  paths: HivePaths,
  { newId, now }: Source,
  prepare: () => Promise<void>,
  isClosed: () => boolean,
): IndexFiles {
  const folder = paths.index
  const listPath = join(folder, LIST)
  const list = () => readText(listPath)

  function* put(path: string, pieces: Iterable<Buffer>): Pausing<void> {
    const fd = openSync(path, "wx")
    try {
      for (const piece of pieces) {
        if (isClosed()) throw closedStore()
        writeWhole(fd, piece)
        yield
      }
    } finally {
      closeSync(fd)
    }
  }

  return {
    list,
    open(file) {
      try {
        const fd = openSync(join(folder, file), "r")
        return { read: (at, bytes) => readPiece(fd, at, bytes), close: () => closeSync(fd) }
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined
        throw error
      }
    },
    async write(pieces) {
      await prepare()
      mkdirSync(folder)
      const file = `${newId()}${SUFFIX}`
      const temp = tempNameFor(join(folder, file))
      try {
        await runInSlices(put(temp, pieces))
        await syncFileAside(temp)
        renameSync(temp, join(folder, file))
        return file
      } catch (error) {
        rmSync(temp, { force: true })
        throw error
      }
    },
    async replaceList(known, text, files) {
      await prepare()
      return underLock(paths, async () => {
        if (list() !== known) return false
        writeAtomic(listPath, text)
        await removeIndexFiles(paths, files)
        return true
      })
    },
    isLocked: () => lockAge(paths, now()) !== undefined,
    async unlocked() {
      if (lockAge(paths, now()) !== undefined) await underLock(paths, () => {})
    },
    isClosed,
    now,
  }
}

/** Beside other work: the system takes a tenth of a second to remove a large file. */
async function removeIndexFiles({ index }: HivePaths, kept: readonly string[]): Promise<void> {
  for (const name of listFolder(index))
    if (name.endsWith(SUFFIX) && !kept.includes(name)) await unlink(join(index, name)).catch(() => {}) // No list names it.
}

/** Without its list it does not count any more. */
export async function removeIndex(paths: HivePaths): Promise<void> {
  try {
    rmSync(join(paths.index, LIST), { force: true })
    await removeIndexFiles(paths, [])
  } catch (error) {
    // Of a link in its place nothing is read either.
    if (!(error instanceof HiveError)) throw error
  }
}

function readPiece(fd: number, at: number, bytes: number): Buffer {
  const piece = Buffer.from(new ArrayBuffer(bytes))
  return piece.subarray(0, readSync(fd, piece, 0, bytes, at))
}

const SUFFIX = ".words"
const LIST = "list.json"
