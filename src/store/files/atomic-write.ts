import { closeSync, fsync, fsyncSync, writeSync } from "node:fs"
import { basename } from "node:path"
import { promisify } from "node:util"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import {
  existsSync,
  linkSync,
  listTree,
  openSync,
  renameSync,
  rmSync,
  statSync,
  TEMP_MARK,
  withFile,
  writeAside,
} from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

/**
 * Replaces a file in one step: readers see the old text or the new one, also after a crash. Not a library's, because
 * what a crash leaves behind must not be mistaken for a backup that somebody made.
 */
export function writeAtomic(path: string, text: string, mode?: number): void {
  const temp = tempNameFor(path)
  try {
    writeSynced(temp, text, mode)
    renameSync(temp, path)
  } catch (error) {
    rmSync(temp, { force: true })
    throw explainSystemError(error, "write a file", path)
  }
}

/** A file that is not there yet, in one step; false where somebody was faster. */
export function createAtomic(path: string, text: string, mode?: number): boolean {
  const temp = tempNameFor(path)
  try {
    writeSynced(temp, text, mode)
    return moveIfFree(temp, path)
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  } finally {
    rmSync(temp, { force: true })
  }
}

/** The same, without making others wait for the disk. */
export async function createAtomicAside(path: string, text: string): Promise<boolean> {
  const temp = tempNameFor(path)
  try {
    await writeNewFile(temp, text)
    return moveIfFree(temp, path)
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  } finally {
    rmSync(temp, { force: true })
  }
}

/** A new file, safe on disk, without making others wait for that. */
export async function writeNewFile(path: string, text: string | Buffer | readonly Buffer[]): Promise<void> {
  await withFile(path, "wx", async (fd) => {
    for (const part of Array.isArray(text) ? text : [text]) await writeAside(fd, Buffer.from(part))
    await sync(fd)
  })
}

/** By link, not by rename: of two writers the second is refused, instead of the first overwritten. */
function moveIfFree(temp: string, path: string): boolean {
  try {
    linkSync(temp, path)
  } catch (error) {
    // Over a network, a link may be made and refused all the same.
    if (isSameFile(temp, path)) return true
    if (systemCode(error) === "EEXIST" || existsSync(path)) return false
    if (!NO_LINKS.has(systemCode(error) ?? "")) throw error
    renameSync(temp, path)
  }
  return true
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

/** Removes temporary files that a crash in mid-write left behind. A young one may still be in use. */
export function sweepTempFiles(paths: HivePaths, now: number): void {
  try {
    for (const { path } of listTree(paths.root)) {
      if (!basename(path).includes(TEMP_MARK)) continue
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changed !== undefined && now - changed > YOUNG_MS) rmSync(path, { force: true })
    }
  } catch {
    // Other processes come and go in here. What is not swept now is swept next time; no write fails for it.
  }
}

/** Beside it, so that it can be moved in one step; swept later where a crash leaves it. */
export function tempNameFor(path: string): string {
  return `${path}${TEMP_MARK}${process.pid}-${count++}`
}

function writeSynced(path: string, text: string, mode?: number): void {
  const fd = openSync(path, "wx", mode)
  try {
    writeWhole(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** A disk may take less than it was given. */
export function writeWhole(fd: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
}

const sync = promisify(fsync)
let count = 0
const YOUNG_MS = 60_000
// Some file systems have no links; there a rename has to do.
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"])
