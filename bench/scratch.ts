import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { releaseOnExit } from "../test/live/bed/exit-guard.ts"

export interface Scratch {
  path: string
  /** A new folder inside. */
  folder: () => Scratch
  remove: () => void
}

/** A temp folder for the whole run, gone also after Ctrl-C. */
export function openScratch(): Scratch {
  const root = mkdtempSync(join(tmpdir(), "hivemind-bench-"))
  const scratch = scratchAt(root)
  const forget = releaseOnExit(scratch.remove)
  return {
    ...scratch,
    remove: () => {
      scratch.remove()
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
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
