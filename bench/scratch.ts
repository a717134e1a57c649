import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { releaseOnExit } from "../test/live/bed/exit-guard.ts"

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
  const forget = removeOnExit(root)
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

/** Ends that process with this one, unless the returned function is called first: it has ended by itself. */
export function endOnExit(pid: number | null | undefined): () => void {
  if (pid === null || pid === undefined) return () => {}
  pids.add(pid)
  return () => {
    pids.delete(pid)
  }
}

/** Removes the folder when this process ends, also by Ctrl-C; before that it ends the processes that may write to it. */
function removeOnExit(folder: string): () => void {
  return releaseOnExit(() => {
    for (const pid of pids) kill(pid)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // Ctrl-C reaches it too, so it may have ended already.
  }
}

const pids = new Set<number>()
