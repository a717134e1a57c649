import { fsync, fsyncSync } from "node:fs"
import { basename } from "node:path"
import { promisify } from "node:util"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import * as hiveFs from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

/** Replaces a file in one step: readers see the old text or the new one, even after a crash. */
export function writeAtomic(path: string, text: string, mode?: number): void {
  viaTempFile(path, text, mode, (temp) => hiveFs.renameSync(temp, path))
}

/** Creates a file in one step. Returns false if it exists already. */
export function createAtomic(path: string, text: string, mode?: number): boolean {
  return viaTempFile(path, text, mode, (temp) => linkIfFree(temp, path))
}

function viaTempFile<T>(path: string, text: string, mode: number | undefined, place: (temp: string) => T): T {
  const temp = tempNameFor(path)
  const write = (fd: number) => {
    hiveFs.writeWhole(fd, text)
    fsyncSync(fd)
  }
  try {
    hiveFs.withFileSync(temp, "wx", write, mode)
    return place(temp)
  } catch (error) {
    hiveFs.rmSync(temp, { force: true })
    throw explainSystemError(error, "write a file", path)
  }
}

export async function replaceFile(path: string, content: string | readonly Buffer[]): Promise<void> {
  await viaTempFileAsync(path, content, (temp) => hiveFs.renameSync(temp, path))
}

export async function createAtomicAsync(path: string, text: string): Promise<boolean> {
  try {
    return await viaTempFileAsync(path, text, (temp) => linkIfFree(temp, path))
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  }
}

async function viaTempFileAsync<T>(
  path: string,
  content: string | readonly Buffer[],
  place: (temp: string) => T,
): Promise<T> {
  const temp = tempNameFor(path)
  try {
    await writeNewFile(temp, content)
    return place(temp)
  } catch (error) {
    if (hiveFs.existsSync(temp)) hiveFs.rmSync(temp, { force: true })
    throw error
  }
}

export async function writeNewFile(path: string, content: string | readonly Buffer[]): Promise<void> {
  await hiveFs.withFile(path, "wx", async (fd) => {
    for (const piece of typeof content === "string" ? [Buffer.from(content)] : content)
      await hiveFs.writeAsync(fd, piece)
    await sync(fd)
  })
}

/** Creates `path` as a link to `temp`. Unlike a rename, a link never overwrites another writer's file. */
function linkIfFree(temp: string, path: string): boolean {
  let isFree = true
  try {
    hiveFs.linkSync(temp, path)
  } catch (error) {
    // A network file system may report an error although it made the link.
    if (!isSameFile(temp, path)) {
      isFree = systemCode(error) !== "EEXIST" && !hiveFs.existsSync(path)
      if (isFree && !NO_LINKS.has(systemCode(error) ?? "")) throw error
      if (isFree) hiveFs.renameSync(temp, path)
    }
  }
  hiveFs.rmSync(temp, { force: true })
  return isFree
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) =>
    hiveFs.statSync(path, { bigint: true, throwIfNoEntry: false }),
  )
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

/** Removes temporary files of crashed processes. Files younger than a minute may be in use, so they stay. */
export function sweepTempFiles(paths: HivePaths, now: number): void {
  try {
    for (const { path } of hiveFs.listTree(paths.root)) {
      if (!basename(path).includes(hiveFs.TEMP_MARK)) continue
      const changed = hiveFs.statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changed !== undefined && now - changed > YOUNG_MS) hiveFs.rmSync(path, { force: true })
    }
  } catch {
    // Other processes may change these files meanwhile. If that ends the sweep, the next one tries again.
  }
}

/** Returns a name for a temporary file in the same folder, so that a rename is one atomic step. */
export function tempNameFor(path: string): string {
  return `${path}${hiveFs.TEMP_MARK}${process.pid}-${count++}`
}

export function syncFile(path: string): void {
  hiveFs.withFileSync(path, FOR_SYNC, fsyncSync)
}

export async function syncFileAsync(path: string): Promise<void> {
  await hiveFs.withFile(path, FOR_SYNC, sync)
}

/** Makes new file names in a folder durable. Systems that cannot fsync folders do not need it. */
export function syncFolder(path: string): void {
  try {
    syncFile(path)
  } catch {
    // This system cannot fsync folders.
  }
}

export async function syncFolderAsync(path: string): Promise<void> {
  await syncFileAsync(path).catch(() => {}) // This system cannot fsync folders.
}

const sync = promisify(fsync)
/** Windows can fsync only a file that was opened for writing. */
const FOR_SYNC = process.platform === "win32" ? "r+" : "r"
let count = 0
const YOUNG_MS = 60_000
// The error codes of file systems without hard links. There, a rename is used instead.
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"])
