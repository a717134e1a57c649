import { closeSync, readSync } from "node:fs"
import { join } from "node:path"
import { HiveError } from "../shared/error.ts"
import type { Clock, Source } from "../shared/ids.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { closedStore } from "./entries.ts"
import {
  listFolder,
  mkdirSync,
  openIfThere,
  openSync,
  renameSync,
  rmSync,
  unlink,
  writeWhole,
} from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { readText } from "./files/text-file.ts"
import { syncFileAsync, tempNameFor, writeAtomic } from "./files/write-file.ts"
import { lockAge, underLock } from "./lock.ts"

/** A file that is read in pieces, at any offset. */
export interface PiecewiseFile {
  /** So many bytes from an offset, copied; fewer at the end of the file. */
  read(at: number, bytes: number): Buffer
  close(): void
}

/**
 * The files of an index that is derived from the graph, and a list that names those in use. They can be deleted at any
 * time. The caller defines their content.
 */
export interface IndexFiles {
  list(): string | undefined
  /** Undefined if there is no such file. */
  open(file: string): PiecewiseFile | undefined
  /** Writes a new file, which is in use once the list names it; returns its name. */
  write(pieces: Iterable<Buffer>): Promise<string>
  /** Replaces the list that the caller knows, and removes all other files; false if another process came first. */
  replaceList(known: string | undefined, list: string, files: readonly string[]): Promise<boolean>
  /** True while a process holds the lock that a new list needs. */
  isLocked(): boolean
  /** Waits until that lock is free. */
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
      const fd = openIfThere(join(folder, file))
      if (fd === undefined) return undefined
      return { read: (at, bytes) => readPiece(fd, at, bytes), close: () => closeSync(fd) }
    },
    async write(pieces) {
      await prepare()
      mkdirSync(folder)
      const file = `${newId()}${SUFFIX}`
      const temp = tempNameFor(join(folder, file))
      try {
        await runInSlices(put(temp, pieces))
        await syncFileAsync(temp)
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

/** Not in one go: the system takes a tenth of a second to remove a large file. */
async function removeIndexFiles({ index }: HivePaths, kept: readonly string[]): Promise<void> {
  for (const name of listFolder(index))
    if (name.endsWith(SUFFIX) && !kept.includes(name)) await unlink(join(index, name)).catch(() => {}) // No list names it.
}

/** Without its list, the index is not used any more. */
export async function removeIndex(paths: HivePaths): Promise<void> {
  try {
    rmSync(join(paths.index, LIST), { force: true })
    await removeIndexFiles(paths, [])
  } catch (error) {
    // A link in its place is not read either.
    if (!(error instanceof HiveError)) throw error
  }
}

function readPiece(fd: number, at: number, bytes: number): Buffer {
  const piece = Buffer.from(new ArrayBuffer(bytes))
  return piece.subarray(0, readSync(fd, piece, 0, bytes, at))
}

const SUFFIX = ".words"
const LIST = "list.json"
