import { fsync, fsyncSync } from "node:fs"
import { basename } from "node:path"
import { promisify } from "node:util"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import {
  existsSync,
  linkSync,
  listTree,
  renameSync,
  rmSync,
  statSync,
  TEMP_MARK,
  withFile,
  withFileSync,
  writeAsync,
  writeWhole,
} from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

/**
 * Replaces a file in one step: readers see the old text or the new one, also after a crash. Not a library's, because
 * files left by a crash must not be mistaken for a user's backup.
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

/** Replaces a file in one step without blocking the event loop. */
export async function replaceFile(path: string, content: string | readonly Buffer[]): Promise<void> {
  const temp = tempNameFor(path)
  try {
    await writeNewFile(temp, content)
    renameSync(temp, path)
  } catch (error) {
    if (existsSync(temp)) rmSync(temp, { force: true })
    throw error
  }
}

/** Creates a file in one step; false if there is one already. */
export function createAtomic(path: string, text: string, mode?: number): boolean {
  const temp = tempNameFor(path)
  try {
    writeSynced(temp, text, mode)
    return linkIfFree(temp, path)
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  } finally {
    rmSync(temp, { force: true })
  }
}

/** The same without blocking the event loop. */
export async function createAtomicAsync(path: string, text: string): Promise<boolean> {
  const temp = tempNameFor(path)
  try {
    await writeNewFile(temp, text)
    return linkIfFree(temp, path)
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  } finally {
    rmSync(temp, { force: true })
  }
}

/** Writes and fsyncs a new file without blocking the event loop. */
export async function writeNewFile(path: string, content: string | readonly Buffer[]): Promise<void> {
  await withFile(path, "wx", async (fd) => {
    for (const piece of typeof content === "string" ? [Buffer.from(content)] : content)
      await writeAsync(fd, piece)
    await sync(fd)
  })
}

/** By link, not by rename: of two writers the second is refused, instead of the first overwritten. */
function linkIfFree(temp: string, path: string): boolean {
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

function writeSynced(path: string, text: string, mode?: number): void {
  withFileSync(
    path,
    "wx",
    (fd) => {
      writeWhole(fd, text)
      fsyncSync(fd)
    },
    mode,
  )
}

/** Removes temporary files that a crash left behind. A young one may still be in use. */
export function sweepTempFiles(paths: HivePaths, now: number): void {
  try {
    for (const { path } of listTree(paths.root)) {
      if (!basename(path).includes(TEMP_MARK)) continue
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changed !== undefined && now - changed > YOUNG_MS) rmSync(path, { force: true })
    }
  } catch {
    // Other processes create and remove files here. No write fails for it; the next sweep tries again.
  }
}

/** A name in the same folder, so that the file can be moved in one step. */
export function tempNameFor(path: string): string {
  return `${path}${TEMP_MARK}${process.pid}-${count++}`
}

/** Fsyncs a file that was written before. */
export function syncFile(path: string): void {
  withFileSync(path, FOR_SYNC, fsyncSync)
}

export async function syncFileAsync(path: string): Promise<void> {
  await withFile(path, FOR_SYNC, sync)
}

/** Makes the names in a folder durable. Where the system cannot open a folder, its file system does that by itself. */
export function syncFolder(path: string): void {
  try {
    syncFile(path)
  } catch {
    // Not supported here.
  }
}

export async function syncFolderAsync(path: string): Promise<void> {
  await syncFileAsync(path).catch(() => {}) // Not supported here.
}

const sync = promisify(fsync)
/** Windows syncs only a file that may be written. */
const FOR_SYNC = process.platform === "win32" ? "r+" : "r"
let count = 0
const YOUNG_MS = 60_000
// Some file systems have no links; there a rename has to do.
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"])
