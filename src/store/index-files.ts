import { closeSync, readSync } from "node:fs"
import { join } from "node:path"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { closedStore } from "./entries.ts"
import * as hiveFs from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { readText } from "./files/text-file.ts"
import { syncFileAsync, tempNameFor, writeAtomic } from "./files/write-file.ts"
import { lockAge, underLock } from "./lock.ts"

/** Stores an index that is derived from the graph: its files and a list of those in use. The caller defines their content. */
export type IndexFiles = ReturnType<typeof openIndexFiles>
export type PiecewiseFile = NonNullable<ReturnType<IndexFiles["open"]>>

export function openIndexFiles(
  paths: HivePaths,
  { newId, now }: Source,
  prepare: () => Promise<void>,
  isClosed: () => boolean,
) {
  const folder = paths.index
  const listPath = join(folder, LIST)
  const list = () => readText(listPath)

  function* put(path: string, pieces: Iterable<Buffer>): Pausing<void> {
    const fd = hiveFs.openSync(path, "wx")
    try {
      for (const piece of pieces) {
        if (isClosed()) throw closedStore()
        hiveFs.writeWhole(fd, piece)
        yield
      }
    } finally {
      closeSync(fd)
    }
  }

  return {
    list,
    open(file: string) {
      const fd = hiveFs.openIfThere(join(folder, file))
      if (fd === undefined) return undefined
      return {
        read(at: number, bytes: number): Buffer {
          const piece = Buffer.from(new ArrayBuffer(bytes))
          return piece.subarray(0, readSync(fd, piece, 0, bytes, at))
        },
        close: () => closeSync(fd),
      }
    },
    /** Writes a new file, and returns its name. It is unused until `replaceList` names it. */
    async write(pieces: Iterable<Buffer>): Promise<string> {
      await prepare()
      hiveFs.mkdirSync(folder)
      const file = `${newId()}${SUFFIX}`
      const temp = tempNameFor(join(folder, file))
      try {
        await runInSlices(put(temp, pieces))
        await syncFileAsync(temp)
        hiveFs.renameSync(temp, join(folder, file))
        return file
      } catch (error) {
        hiveFs.rmSync(temp, { force: true })
        throw error
      }
    },
    /** Replaces the list, and removes files that it does not name. False if the list is no longer `known`. */
    async replaceList(known: string | undefined, text: string, files: readonly string[]): Promise<boolean> {
      await prepare()
      return underLock(paths, async () => {
        if (list() !== known) return false
        writeAtomic(listPath, text)
        await removeIndexFiles(paths, files)
        return true
      })
    },
    isLocked: () => lockAge(paths, now()) !== undefined,
    async unlocked(): Promise<void> {
      if (lockAge(paths, now()) !== undefined) await underLock(paths, () => {})
    },
    isClosed,
    now,
  }
}

/** Removes files one by one without blocking, because a large one takes a tenth of a second. Failures leave unused files. */
async function removeIndexFiles({ index }: HivePaths, kept: readonly string[]): Promise<void> {
  for (const name of hiveFs.listFolder(index))
    if (name.endsWith(SUFFIX) && !kept.includes(name)) await hiveFs.unlink(join(index, name)).catch(() => {})
}

/** Removes the list first: without a list, the index is not used. */
export async function removeIndex(paths: HivePaths): Promise<void> {
  try {
    hiveFs.rmSync(join(paths.index, LIST), { force: true })
    await removeIndexFiles(paths, [])
  } catch (error) {
    // A path in the index is a link. HiveMind follows no links, so the link can stay.
    if (!(error instanceof HiveError)) throw error
  }
}

const SUFFIX = ".words"
const LIST = "list.json"
