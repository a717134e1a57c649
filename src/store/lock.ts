import { HiveError } from "../shared/error.ts"
import { type ProcessIdentity, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import { explainSystemError, systemCode } from "../shared/system-error.ts"
import * as hiveFs from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"

export type HeldLock = ReturnType<typeof keepAlive>

/**
 * Takes a lock file. Correctness does not depend on it: entries written under a lost lock are ignored. A dead
 * process's lock is taken over at once, another one when it is no longer renewed, measured by the own clock.
 */
export async function takeLockAt(path: string, staleAfterMs = STALE_AFTER_MS): Promise<HeldLock> {
  const take = `${thisProcess.token}-${count++}`
  const started = performance.now()
  let seen = { sign: "", since: started }
  for (let wait = 1; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    if (tryTake(path, take)) return keepAlive(path, take)
    const sign = signOf(path)
    const now = performance.now()
    if (sign !== seen.sign) seen = { sign, since: now }
    if (isOwnerDead(path) || now - seen.since > staleAfterMs) {
      removeStale(path, sign)
      continue
    }
    if (now - started > GIVE_UP_AFTER_MS)
      throw new HiveError({
        code: "locked",
        what: "Could not get the graph's lock. Nothing was written.",
        why: "Other processes have been writing for more than half a minute.",
        use_instead: "Try again; `hivemind doctor` shows which process holds the lock.",
        evidence: path,
      })
    // Waits for a random time, so that waiting processes do not come back all at once.
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
  }
}

export function underLock<T>(paths: HivePaths, job: () => Promise<T> | T): Promise<T> {
  return underLockAt(paths.lock, job)
}

export async function underLockAt<T>(path: string, job: () => Promise<T> | T): Promise<T> {
  const lock = await takeLockAt(path)
  try {
    return await job()
  } finally {
    lock.release()
  }
}

export function lockAge(paths: HivePaths, now: number): number | undefined {
  try {
    return Math.max(0, now - hiveFs.statSync(paths.lock).mtimeMs)
  } catch {
    return undefined // There is no lock, or no folder for it.
  }
}

interface Owner extends ProcessIdentity {
  take: string
}

function tryTake(path: string, take: string): boolean {
  const owner: Owner = { ...thisProcess, take }
  let isCreated = false
  try {
    hiveFs.withFileSync(path, "wx", (fd) => {
      isCreated = true
      hiveFs.writeWhole(fd, JSON.stringify(owner))
    })
    held.add(take)
    return true
  } catch (error) {
    // Without the owner's data, other processes would wait for the lock until it is stale, so the file is removed.
    if (isCreated) hiveFs.rmSync(path, { force: true })
    if (!isCreated && systemCode(error) === "EEXIST") return false
    throw explainSystemError(error, "take the lock", path)
  }
}

function keepAlive(path: string, take: string) {
  const timer = setInterval(() => {
    try {
      const now = new Date()
      if (readOwner(path)?.take === take) hiveFs.utimesSync(path, now, now)
    } catch {
      // Another process has taken the lock over. Entries written since then are ignored, and written again.
    }
  }, ALIVE_EVERY_MS)
  timer.unref()
  return {
    isHeld: (): boolean => readOwner(path)?.take === take,
    release(): void {
      clearInterval(timer)
      held.delete(take)
      // Tries twice, because a virus scanner may block the file. A file that stays is taken over once it is stale.
      if (!removeOwn(path, take)) removeOwn(path, take)
    },
  }
}

function removeOwn(path: string, take: string): boolean {
  try {
    const owner = readOwner(path)
    if (owner?.take === take) hiveFs.rmSync(path, { force: true })
    return owner !== undefined
  } catch {
    return false
  }
}

function isOwnerDead(path: string): boolean {
  const owner = readOwner(path)
  if (owner === undefined) return false
  // Either this process still has the lock, or it released the lock but could not delete the file.
  if (owner.token === thisProcess.token) return !held.has(owner.take)
  return stateOfProcess(owner) === "dead"
}

/** Removes the stale lock file, but not a new one that another process has created in its place. */
function removeStale(path: string, sign: string): void {
  const aside = `${path}.dead-${process.pid}-${count++}`
  try {
    hiveFs.renameSync(path, aside)
  } catch {
    return // Another process was faster.
  }
  if (signOf(aside) !== sign) {
    // The renamed file is another process's new lock, so it is put back, unless a third process has taken the lock by now.
    try {
      hiveFs.linkSync(aside, path)
    } catch {
      // A third process has taken the lock.
    }
  }
  hiveFs.rmSync(aside, { force: true, recursive: true })
}

function readOwner(path: string): Owner | undefined {
  try {
    return (JSON.parse(hiveFs.readFileSync(path, "utf8")) as Owner | null) ?? undefined
  } catch {
    return undefined // The file is incomplete or damaged. It is taken over once it is stale.
  }
}

/** Identifies a lock and its last renewal. */
function signOf(path: string): string {
  const stat = hiveFs.statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? "none" : `${stat.ino}:${stat.birthtimeMs}:${stat.mtimeMs}`
}

let count = 0
const held = new Set<string>()
export const STALE_AFTER_MS = 3000
const ALIVE_EVERY_MS = 500
const GIVE_UP_AFTER_MS = 30_000
const MAX_WAIT_MS = 40
