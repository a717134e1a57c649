import { close, fdatasync, fstatSync, readSync, writeSync } from "node:fs"
import { promisify } from "node:util"
import { createQueue } from "../../shared/queue.ts"
import { explainSystemError } from "../../shared/system-error.ts"
import { existsSync, openSync, statSync } from "../files/hive-fs.ts"
import { syncFile, syncFolder } from "../files/write-file.ts"
import { segmentPath } from "./segments.ts"

const sync = promisify(fdatasync)
const closeFile = promisify(close)

/** `unsynced`: the lines were written, but the fsync failed. */
export type Appended = { state: "synced" } | { state: "failed" | "unsynced"; error: unknown }

export type Append = (segment: number, lines: readonly string[]) => Promise<Appended>

/** Appends lines by a single write in append mode, without a lock. Readers decide which lines are valid. */
export function openAppender(folder: string, { prefix = "", isSynced = true } = {}) {
  const queue = createQueue()
  // A file descriptor, because Node prints a warning if a FileHandle is not closed.
  let open: { fd: number; segment: number; inode: number } | undefined

  async function write(segment: number, lines: readonly string[]): Promise<Appended> {
    try {
      const fd = await fileOf(segment)
      // A single synchronous write, so that lines of other processes do not end up in between.
      writeSync(fd, Buffer.from(lines.map((line) => `\n${line}`).join("")))
    } catch (error) {
      await release()
      return {
        state: "failed",
        error: explainSystemError(error, "write to the log", segmentPath(folder, segment, prefix)),
      }
    }
    try {
      if (isSynced && open !== undefined) await sync(open.fd)
      return { state: "synced" }
    } catch (error) {
      await release()
      return { state: "unsynced", error }
    }
  }

  async function fileOf(segment: number): Promise<number> {
    const path = segmentPath(folder, segment, prefix)
    // Opens the file again if it was replaced, for example by git: readers would not see lines in the old file.
    if (open?.segment === segment && open.inode === statSync(path, { throwIfNoEntry: false })?.ino)
      return open.fd
    await release()
    const fd = openSync(path, "a")
    open = { fd, segment, inode: fstatSync(fd).ino }
    if (!isSynced) return fd
    // Fsyncs the folder, and the previous segment, because the process that sealed it may have crashed.
    syncFolder(folder)
    const previous = segmentPath(folder, segment - 1, prefix)
    if (existsSync(previous)) syncFile(previous)
    return fd
  }

  async function release(): Promise<void> {
    const closing = open
    open = undefined
    if (closing !== undefined) await closeFile(closing.fd)
  }

  function openBytes(): Buffer {
    if (open === undefined) return Buffer.alloc(0)
    const bytes = Buffer.alloc(fstatSync(open.fd).size)
    return bytes.subarray(0, readSync(open.fd, bytes, 0, bytes.length, 0))
  }

  return {
    openBytes,
    // Runs one write at a time, because a write may close the file of the previous segment.
    append: (segment: number, lines: readonly string[]) => queue.run(() => write(segment, lines)),
    close: () => queue.run(release),
  }
}
