import { rmSync } from "node:fs"
import { releaseOnExit } from "../test/live/bed/exit-guard.ts"

const pids = new Set<number>()

/** Notes a process that has to end with this one; the returned function says that it has ended by itself. */
export function endWithUs(pid: number | null | undefined): () => void {
  if (pid === null || pid === undefined) return () => {}
  pids.add(pid)
  return () => {
    pids.delete(pid)
  }
}

/** Removes the folder when this process ends, also by Ctrl-C: first ends the processes, which may be writing to it. */
export function removeWithUs(folder: string): () => void {
  return releaseOnExit(() => {
    for (const pid of pids) kill(pid)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended meanwhile, as Ctrl-C reaches it too.
  }
}
