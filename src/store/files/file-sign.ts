import { createHash } from "node:crypto"
import { closeSync, fstatSync, lstatSync, readlinkSync, readSync } from "node:fs"
import { openSync } from "./hive-fs.ts"

/** A sign of what a file holds; undefined where it cannot be read. */
export function signOf(path: string): string | undefined {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return `link ${readlinkSync(path)}`
  if (!entry.isFile()) return "not a file"
  let fd: number
  try {
    fd = openSync(path, "r")
  } catch {
    return undefined // Nobody knows what it holds.
  }
  try {
    const { size } = fstatSync(fd)
    const hash = createHash("sha1")
    const piece = Buffer.alloc(Math.min(size, 1 << 16))
    // All of it: an edit may be far down, and leave the length as it was.
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece))
      hash.update(piece.subarray(0, read))
    return `${size}-${hash.digest("hex").slice(0, 16)}`
  } finally {
    closeSync(fd)
  }
}
