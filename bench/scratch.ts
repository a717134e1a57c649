import { mkdirSync, mkdtempSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeWithUs } from "./running.ts"

export interface Scratch {
  path: string
  /** A new folder inside. */
  folder: () => Scratch
  remove: () => Promise<void>
}

/** A temp folder for the whole run, gone also after Ctrl-C. */
export function openScratch(): Scratch {
  const root = mkdtempSync(join(tmpdir(), "hivemind-bench-"))
  const scratch = scratchAt(root)
  const forget = removeWithUs(root)
  return {
    ...scratch,
    remove: async () => {
      await scratch.remove()
      forget()
    },
  }
}

function scratchAt(path: string): Scratch {
  let made = 0
  return {
    path,
    folder: () => {
      const inner = join(path, String(++made))
      mkdirSync(inner)
      return scratchAt(inner)
    },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
