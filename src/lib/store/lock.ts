import { statSync } from "node:fs"
import { HiveError } from "../../shared/error.ts"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import type { HivePaths } from "./layout.ts"

export interface HeldLock {
  /** False once the lock may have passed to another process (this one was stopped for too long). */
  isHeld: () => boolean
  release: () => Promise<void>
}

/** Takes the lock that orders writers of all processes. A crashed owner's lock lapses after STALE_AFTER_MS. */
export async function takeLock(paths: HivePaths, now: () => number): Promise<HeldLock> {
  // Loaded on the first ordered write only: it hooks the process's exit signals, and reading needs none of it.
  const { default: lockfile } = await import("proper-lockfile")
  let compromised = false
  let takenAt = 0
  let release: () => Promise<void>
  try {
    release = await lockfile.lock(paths.graph, {
      lockfilePath: paths.lock,
      realpath: false,
      stale: STALE_AFTER_MS,
      retries: { retries: 600, factor: 1.3, minTimeout: 2, maxTimeout: 80, randomize: true },
      // The entry's `after` keeps a lost lock from doing harm; here we only stop using it.
      onCompromised: () => {
        compromised = true
      },
    })
    takenAt = now()
  } catch (error) {
    if (systemCode(error) === "ELOCKED") throw stillLocked(paths, error)
    throw explainSystemError(error, "take the lock", paths.lock)
  }
  return {
    isHeld: () => !compromised && now() - takenAt < STALE_AFTER_MS,
    async release() {
      try {
        await release()
      } catch (error) {
        const code = systemCode(error)
        // Already gone: it lapsed, or `.hivemind/` was removed under us. Either way it is not held any more.
        if (code !== "ENOTACQUIRED" && code !== "ERELEASED" && code !== "ENOENT") throw error
      }
    },
  }
}

/** The age of the lock in ms, or undefined where there is none. */
export function lockAge(paths: HivePaths, now: number): number | undefined {
  const stat = statSync(paths.lock, { throwIfNoEntry: false })
  return stat === undefined ? undefined : now - stat.mtimeMs
}

function stillLocked(paths: HivePaths, cause: unknown): HiveError {
  return new HiveError(
    {
      code: "locked",
      what: "Could not get the lock of the graph.",
      why: "Another process has been writing for more than half a minute.",
      use_instead:
        "Try again; if no other process is running, `hivemind doctor` tells how to remove a stale lock.",
      evidence: paths.lock,
    },
    { cause },
  )
}

export const STALE_AFTER_MS = 3000
