import { existsSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import * as z from "zod"
import { HiveError } from "../shared/error.ts"
import { explainSystemError, systemCode } from "../shared/system-error.ts"
import type { HivePaths } from "./layout.ts"

export interface HeldLock {
  /** False once the lock may have passed to another process (this one was stopped for too long). */
  isHeld: () => boolean
  release: () => Promise<void>
}

/** Takes the lock that orders writers of all processes. A crashed owner's lock is taken over as soon as it is met. */
export async function takeLock(paths: HivePaths, now: () => number): Promise<HeldLock> {
  // Loaded on the first ordered write only: it hooks the process's exit signals, and reading needs none of it.
  const { default: lockfile } = await import("proper-lockfile")
  let compromised = false
  const options = {
    lockfilePath: paths.lock,
    realpath: false,
    stale: STALE_AFTER_MS,
    // The entry's `after` keeps a lost lock from doing harm; here we only stop using it.
    onCompromised: () => {
      compromised = true
    },
  }
  const giveUpAt = now() + GIVE_UP_AFTER_MS
  for (let wait = 1; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    try {
      const release = await lockfile.lock(paths.graph, options)
      const mine = identityOf(paths.lock)
      noteOwner(paths, mine)
      return {
        isHeld: () => !compromised && identityOf(paths.lock) === mine,
        release: () => releaseQuietly(release),
      }
    } catch (error) {
      const code = systemCode(error)
      // Gone between two looks of the library: somebody else's lock was just released or broken.
      const isBusy = code === "ELOCKED" || (code === "ENOENT" && existsSync(paths.graph))
      if (!isBusy) throw explainSystemError(error, "take the lock", paths.lock)
      if (now() > giveUpAt) throw stillLocked(paths, error)
      if (breakDeadLock(paths)) continue
      // Jitter, so that waiting processes do not come back all at once.
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
}

/** Runs a job while no other process writes; for what must be read and then written in one go. */
export async function underLock<T>(
  paths: HivePaths,
  now: () => number,
  job: () => Promise<T> | T,
): Promise<T> {
  const lock = await takeLock(paths, now)
  try {
    return await job()
  } finally {
    await lock.release()
  }
}

async function releaseQuietly(release: () => Promise<void>): Promise<void> {
  try {
    await release()
  } catch (error) {
    const code = systemCode(error)
    // Already gone: it lapsed, or `.hivemind/` was removed under us. Either way it is not held any more.
    if (code !== "ENOTACQUIRED" && code !== "ERELEASED" && code !== "ENOENT") throw error
  }
}

const ownerNote = z.object({
  pid: z.int(),
  host: z.string(),
  /** The lock this note is about: a note without its lock, or of an older one, says nothing. */
  lock: z.string(),
})
type Owner = z.infer<typeof ownerNote>

/** Says whose lock it is, for those who find it after a crash. Without the note it lapses by its age. */
function noteOwner(paths: HivePaths, lock: string): void {
  const owner: Owner = { pid: process.pid, host: hostname(), lock }
  try {
    writeFileSync(paths.lockOwner, JSON.stringify(owner))
  } catch {
    // A full disk must not turn a lock that is held into one that nobody gives back.
  }
}

/** Removes the lock if its owner ran on this machine and is dead. The rename makes sure that only one process does. */
function breakDeadLock(paths: HivePaths): boolean {
  const owner = readOwner(paths)
  const found = identityOf(paths.lock)
  if (owner === undefined || owner.host !== hostname() || owner.lock !== found || isAlive(owner.pid))
    return false
  const aside = `${paths.lock}.dead-${process.pid}`
  try {
    renameSync(paths.lock, aside)
    const isTheSame = identityOf(aside) === found
    if (isTheSame) rmdirSync(aside)
    else renameSync(aside, paths.lock)
    return isTheSame
  } catch {
    return false // Another process was quicker.
  }
}

function readOwner(paths: HivePaths): Owner | undefined {
  try {
    return ownerNote.parse(JSON.parse(readFileSync(paths.lockOwner, "utf8")))
  } catch {
    return undefined // No note, or one in the making: the lock lapses by its age then.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) !== "ESRCH"
  }
}

/** Which lock it is. File systems give a number that was freed to the next folder, so the time it was made counts too. */
function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? "none" : `${stat.ino}:${stat.birthtimeMs}`
}

/** The age of the lock in ms, or undefined where there is none. */
export function lockAge(paths: HivePaths, now: number): number | undefined {
  try {
    return now - statSync(paths.lock).mtimeMs
  } catch {
    return undefined // No lock, or no folder that could hold one.
  }
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
const GIVE_UP_AFTER_MS = 30_000
const MAX_WAIT_MS = 40
