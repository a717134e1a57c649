import { mkdirSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as z from "zod"
import { mkdirSync as makeFolder, withFileSync } from "./hive-fs.ts"
import { createAtomic, writeAtomic } from "./write-file.ts"

const running = z.strictObject({ port: z.int().positive(), token: z.string().min(20) })
export type Running = z.infer<typeof running>

/** Address and token of the running dashboard, for the user's next command. Only the user can read it. */
export function runningFile(path: string) {
  return {
    write(dashboard: Running): void {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Removed first: an old file's mode would stay.
      rmSync(path, { force: true })
      writeFileSync(path, JSON.stringify(dashboard), { mode: 0o600 })
    },
    /** Undefined if there is none. A dashboard that was killed leaves its file: its port does not answer. */
    read(): Running | undefined {
      try {
        return running.safeParse(JSON.parse(readFileSync(path, "utf8"))).data
      } catch {
        return undefined // None, or torn.
      }
    },
    /** Unless another dashboard has replaced it. */
    remove({ token }: Running): void {
      if (this.read()?.token === token) rmSync(path, { force: true })
    },
  }
}

/**
 * Exports a page to any path. It contains the hive's data, so only the owner may read it. False if another file has that
 * name: only an earlier export is replaced.
 */
export function writePage(file: string, page: string, { force = false } = {}): boolean {
  makeFolder(dirname(file))
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
