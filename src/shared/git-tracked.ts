import { lstatSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { findRepository } from "./git-folders.ts"

/**
 * The tracked files below a folder, from git's index. Read without a git process, since a write waits for it, and only when
 * the index has changed. An index of version 4, or a split index, has no plain paths: for it the list is empty.
 */
export function trackedFiles(folder: string): readonly string[] {
  const { folders, top } = findRepository(dirname(folder)) ?? {}
  if (!folders || !top) return []
  const index = join(folders.gitDir, "index")
  const stat = lstatSync(index, { throwIfNoEntry: false })
  // A repository without any added file, or a bare one.
  if (stat === undefined) return []
  const signature = `${index}:${stat.ino}:${stat.size}:${stat.mtimeMs}`
  const known = listed.get(folder)
  if (known?.signature === signature) return known.files
  const start = `${relative(top, folder).split(sep).join("/")}/`
  const files = namesIn(readIndex(index), start).map((name) => join(top, name))
  if (listed.size >= MAX_FOLDERS) listed.clear()
  listed.set(folder, { signature, files })
  return files
}

/** In the index, a name follows two bytes whose lower twelve bits are its length, and ends with a zero. */
function namesIn(index: Buffer, start: string): string[] {
  const names: string[] = []
  for (let at = index.indexOf(start); at >= 4; at = index.indexOf(start, at + 1)) {
    const name = index.subarray(at, index.indexOf(0, at))
    // Two more bytes may stand between them.
    const lengths = [at - 2, at - 4].map((offset) => index.readUInt16BE(offset) & MAX_LENGTH)
    if (lengths.includes(Math.min(name.length, MAX_LENGTH))) names.push(name.toString("utf8"))
  }
  return names
}

function readIndex(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0) // Deleted or not readable: git could not use it either.
  }
}

const listed = new Map<string, { signature: string; files: readonly string[] }>()
const MAX_FOLDERS = 100
const MAX_LENGTH = 0xfff
