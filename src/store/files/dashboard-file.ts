import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as z from "zod"
import { writeAtomic } from "./atomic-write.ts"

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

/** A page for others, wherever they want it. */
export function writePage(file: string, page: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeAtomic(file, page)
}
