import { closeSync, fsync, fsyncSync } from "node:fs"
import { promisify } from "node:util"
import { systemCode } from "../../shared/system-error.ts"
import { openSync, readdirSync, withFile } from "./hive-fs.ts"

/** The names in a folder; none if it is missing. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return []
    throw error
  }
}

/** Makes names in a folder last. Some systems cannot open a folder; there the file system sees to it itself. */
export function syncFolder(path: string): void {
  try {
    syncFile(path)
  } catch {
    // Not supported here.
  }
}

/** Makes what was written to a file last. */
export function syncFile(path: string): void {
  const fd = openSync(path, "r")
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The same, without making others wait for the disk. */
export async function syncFolderAside(path: string): Promise<void> {
  try {
    await syncFileAside(path)
  } catch {
    // Not supported here.
  }
}

/** The same, without making others wait for the disk. */
export async function syncFileAside(path: string): Promise<void> {
  await withFile(path, "r", sync)
}

const sync = promisify(fsync)
