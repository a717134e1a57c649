import { createHash } from "node:crypto"
import { closeSync, fstatSync, lstatSync, openSync, readlinkSync, readSync } from "node:fs"

/** A sign of what a file holds, without reading all of a large one; undefined where it cannot be read. */
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
    const head = Buffer.alloc(Math.min(size, 1 << 16))
    readSync(fd, head, 0, head.length, 0)
    return `${size}-${createHash("sha1").update(head).digest("hex").slice(0, 16)}`
  } finally {
    closeSync(fd)
  }
}
