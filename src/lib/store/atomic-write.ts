import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { explainSystemError } from "../../shared/system-error.ts"

/**
 * Replaces a file in one step: readers see the old text or the new one, also after a crash. Not a library's, because
 * `mayReplace` has to be asked in the last moment before the rename, and because what a crash leaves behind must not
 * be mistaken for a backup that somebody made.
 */
export function writeAtomic(path: string, text: string, mayReplace: () => boolean = () => true): boolean {
  const temp = `${path}${TEMP_MARK}${process.pid}-${count++}`
  try {
    const fd = openSync(temp, "wx")
    try {
      writeWhole(fd, Buffer.from(text))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    const isReplaced = mayReplace()
    if (isReplaced) renameSync(temp, path)
    else rmSync(temp, { force: true })
    return isReplaced
  } catch (error) {
    rmSync(temp, { force: true })
    throw explainSystemError(error, "write a file", path)
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
}

let count = 0
export const TEMP_MARK = ".hivemind-tmp-"
