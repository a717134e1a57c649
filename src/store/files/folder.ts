import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs"
import { systemCode } from "../../shared/system-error.ts"

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
    const fd = openSync(path, "r")
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Not supported here.
  }
}
