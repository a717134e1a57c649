import { lstatSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { findRepository } from "./git-folders.ts"

/**
 * Whether git's index lists a file. Read without a git process, since a write waits for it. An index of version 4, or one
 * that is split, has no plain paths: there the answer is no.
 */
export function isTracked(path: string): boolean {
  const inode = lstatSync(path, { throwIfNoEntry: false })?.ino
  // Only a checkout makes a file the repository's, and a checkout makes a new file.
  if (inode !== undefined && untracked.get(path) === inode) return false
  const { folders, top } = findRepository(dirname(path)) ?? {}
  if (folders && top && hasName(readIndex(folders.gitDir), relative(top, path))) return true
  if (inode !== undefined) untracked.set(path, inode)
  return false
}

/** In the index, a name follows two bytes whose lower twelve bits are its length, and ends with a zero. */
function hasName(index: Buffer, path: string): boolean {
  const name = Buffer.from(`${path.split(sep).join("/")}\0`)
  for (let at = index.indexOf(name); at >= 4; at = index.indexOf(name, at + 1)) {
    // Two more bytes may stand between them.
    const lengths = [at - 2, at - 4].map((offset) => index.readUInt16BE(offset) & MAX_LENGTH)
    if (lengths.includes(Math.min(name.length - 1, MAX_LENGTH))) return true
  }
  return false
}

function readIndex(gitDir: string): Buffer {
  try {
    return readFileSync(join(gitDir, "index"))
  } catch {
    return Buffer.alloc(0) // Nothing has ever been added, or the repository is bare.
  }
}

/** Files that were found to be untracked, with their inodes. */
const untracked = new Map<string, number>()
const MAX_LENGTH = 0xfff
