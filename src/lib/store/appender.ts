import { statSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { HiveError } from "../../shared/error.ts"
import { explainSystemError } from "../../shared/system-error.ts"

/**
 * Appends lines to the journal, safe on disk when the promise resolves. Needs no lock: each line goes out in one
 * write to a file opened for appending, and starts with a newline, so that it can never be glued to a torn one.
 */
export function openAppender(path: string) {
  let handle: FileHandle | undefined
  let inode = 0

  /** The lines that could be written, and the error that stopped the others. */
  async function append(lines: string[]): Promise<{ written: number; error?: unknown }> {
    let written = 0
    try {
      while (written < lines.length) {
        const file = await current()
        const bytes = lines.slice(written).map((line) => Buffer.from(`\n${line}`))
        const { bytesWritten } = await file.write(Buffer.concat(bytes))
        await file.datasync()
        const stat = await file.stat()
        // Folded away and unlinked under our hands: nobody will read that file again, so write to the new one.
        if (stat.nlink === 0) {
          await close()
          continue
        }
        const whole = countWhole(bytes, bytesWritten)
        if (whole === 0) throw fullDisk(path)
        written += whole
      }
      return { written }
    } catch (error) {
      await close()
      return { written, error: explainSystemError(error, "write to the journal", path) }
    }
  }

  async function current(): Promise<FileHandle> {
    const onDisk = statSync(path, { throwIfNoEntry: false })?.ino ?? 0
    if (handle !== undefined && onDisk === inode) return handle
    await close()
    handle = await open(path, "a")
    inode = (await handle.stat()).ino
    return handle
  }

  async function close(): Promise<void> {
    const closing = handle
    handle = undefined
    inode = 0
    await closing?.close()
  }

  return { append, close }
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
