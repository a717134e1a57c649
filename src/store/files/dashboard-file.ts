import { readSync } from "node:fs"
import { dirname } from "node:path"
import { mkdirSync, statSync, withFileSync } from "./hive-fs.ts"
import { createAtomic, writeAtomic } from "./write-file.ts"

/**
 * Writes an exported dashboard to any path. It contains the hive's data, so only the owner may read it. False if another
 * file has that name: only an earlier export is replaced.
 */
export function writePage(file: string, page: string, { force = false } = {}): boolean {
  mkdirSync(dirname(file))
  if (!force && !isPage(file)) return createAtomic(file, page, OWNER_ONLY)
  writeAtomic(file, page, OWNER_ONLY)
  return true
}

/** Near the start of each exported page: identifies it as one. */
export const PAGE_MARK = '<meta name="generator" content="hivemind dashboard --export" />'

function isPage(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const start = Buffer.alloc(MARK_WITHIN_BYTES)
  return withFileSync(file, "r", (fd) => start.toString("utf8", 0, readSync(fd, start))).includes(PAGE_MARK)
}

const OWNER_ONLY = 0o600
const MARK_WITHIN_BYTES = 300
