import { close, fdatasync, fstatSync, readSync, writev } from "node:fs"
import { promisify } from "node:util"
import { createQueue } from "../../shared/queue.ts"
import { explainSystemError } from "../../shared/system-error.ts"
import { existsSync, openSync, statSync } from "../files/hive-fs.ts"
import { syncFile, syncFolder } from "../files/write-file.ts"
import { segmentPath } from "./segments.ts"

const writeAll = promisify(writev)
const sync = promisify(fdatasync)
const closeFile = promisify(close)

/** The outcome of appending lines. `unsynced`: they are in the file, but the disk did not confirm it. */
export type Appended = { state: "synced" } | { state: "failed" | "unsynced"; error: unknown }

export type Append = (segment: number, lines: readonly string[]) => Promise<Appended>

/**
 * Appends lines to a segment. Needs no lock: they go out in one write to a file opened for appending, and each starts
 * with a newline, so that none is glued to a torn line. Whether a line counts is decided when it is read.
 */
export function openAppender(folder: string, { prefix = "", isSynced = true } = {}) {
  const queue = createQueue()
  // A plain descriptor, because Node prints a warning on the screen when it collects a forgotten FileHandle.
  let open: { fd: number; segment: number; inode: number } | undefined

  async function write(segment: number, lines: readonly string[]): Promise<Appended> {
    try {
      const fd = await fileOf(segment)
      const bytes = Buffer.from(lines.map((line) => `\n${line}`).join(""))
      await writeAll(fd, [bytes])
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
    // Git may have replaced the file: lines added to the old one would never be read.
    if (open?.segment === segment && open.inode === statSync(path, { throwIfNoEntry: false })?.ino)
      return open.fd
    await release()
    const fd = openSync(path, "a")
    open = { fd, segment, inode: fstatSync(fd).ino }
    if (!isSynced) return fd
    // A new file is durable once its folder is, and is read once the seal before it is: the process that wrote the seal
    // may have died before its fsync.
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

  /** The open segment's bytes, also after another process has removed the file. */
  function openBytes(): Buffer {
    if (open === undefined) return Buffer.alloc(0)
    const bytes = Buffer.alloc(fstatSync(open.fd).size)
    return bytes.subarray(0, readSync(open.fd, bytes, 0, bytes.length, 0))
  }

  return {
    openBytes,
    // One after another: no write may close the file of another one.
    append: (segment: number, lines: readonly string[]) => queue.run(() => write(segment, lines)),
    close: () => queue.run(release),
  }
}
