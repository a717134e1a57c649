import { closeSync, mkdirSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as z from "zod"
import { createAtomic, writeAtomic } from "./atomic-write.ts"
import { mkdirSync as makeFolder, openSync } from "./hive-fs.ts"

const running = z.strictObject({ port: z.int().positive(), token: z.string().min(20) })
export type Running = z.infer<typeof running>

/** Where a user's dashboard can be found by their next command. Only they can read it. */
export function runningFile(path: string) {
  return {
    write(dashboard: Running): void {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Removed first: an old file's mode would stay.
      rmSync(path, { force: true })
      writeFileSync(path, JSON.stringify(dashboard), { mode: 0o600 })
    },
    /** Undefined where there is none. One that was killed leaves its file: whoever asks it gets no answer. */
    read(): Running | undefined {
      try {
        return running.safeParse(JSON.parse(readFileSync(path, "utf8"))).data
      } catch {
        return undefined // None, or torn.
      }
    },
    /** If it is still this one's. */
    remove({ token }: Running): void {
      if (this.read()?.token === token) rmSync(path, { force: true })
    },
  }
}

/**
 * A page for others, wherever they want it; it holds what the hive holds, so until its owner says otherwise nobody else reads
 * it. False where another file has that name: only an earlier page gives way.
 */
export function writePage(file: string, page: string, { force = false } = {}): boolean {
  makeFolder(dirname(file))
  if (!force && !isPage(file)) return createAtomic(file, page, OWNER_ONLY)
  writeAtomic(file, page, OWNER_ONLY)
  return true
}

/** What a page begins with, by which it is known again. */
export const PAGE_MARK = '<meta name="generator" content="hivemind dashboard --export" />'

function isPage(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const fd = openSync(file, "r")
  try {
    const begin = Buffer.alloc(MARK_WITHIN_BYTES)
    return begin.toString("utf8", 0, readSync(fd, begin)).includes(PAGE_MARK)
  } finally {
    closeSync(fd)
  }
}

const OWNER_ONLY = 0o600
const MARK_WITHIN_BYTES = 300
