import { close, fdatasync, fstatSync, openSync, statSync, write } from "node:fs"
import { promisify } from "node:util"
import { HiveError } from "../shared/error.ts"
import { explainSystemError } from "../shared/system-error.ts"

const writeTo = promisify(write)
const sync = promisify(fdatasync)
const closeFile = promisify(close)

/**
 * Appends lines to the journal, safe on disk when the promise resolves. Needs no lock: each line goes out in one
 * write to a file opened for appending, and starts with a newline, so that it can never be glued to a torn one.
 */
export function openAppender(path: string) {
  // A plain descriptor, because Node prints a warning on the screen when it collects a forgotten FileHandle.
  let fd: number | undefined
  let inode = 0

  /** How many of the lines could be written, and the error that stopped the others. */
  async function append(lines: string[]): Promise<{ written: number; error?: unknown }> {
    let written = 0
    try {
      while (written < lines.length) {
        const file = await current()
        const bytes = lines.slice(written).map((line) => Buffer.from(`\n${line}`))
        const { bytesWritten } = await writeTo(file, Buffer.concat(bytes))
        await sync(file)
        // Folded away and unlinked under our hands: nobody will read that file again, so write to the new one.
        if (fstatSync(file).nlink === 0) {
          await release()
          continue
        }
        const whole = countWhole(bytes, bytesWritten)
        if (whole === 0) throw fullDisk(path)
        written += whole
      }
      return { written }
    } catch (error) {
      await release()
      return { written, error: explainSystemError(error, "write to the journal", path) }
    }
  }

  async function current(): Promise<number> {
    const onDisk = statSync(path, { throwIfNoEntry: false })?.ino ?? 0
    if (fd !== undefined && onDisk === inode) return fd
    await release()
    fd = openSync(path, "a")
    inode = fstatSync(fd).ino
    return fd
  }

  async function release(): Promise<void> {
    const closing = fd
    fd = undefined
    if (closing !== undefined) await closeFile(closing)
  }

  return { append, close: release }
}

/** A full disk can cut a write short without an error. Lines that are whole count; the torn one is written again. */
function countWhole(lines: Buffer[], bytes: number): number {
  let end = 0
  let whole = 0
  for (const line of lines) {
    end += line.length
    if (end > bytes) break
    whole++
  }
  return whole
}

function fullDisk(path: string): HiveError {
  return new HiveError({
    code: "disk_full",
    what: "Could not write to the journal.",
    why: "The disk took only a part of the line. The torn part is ignored.",
    use_instead: "Free some space, then try again.",
    evidence: path,
  })
}
