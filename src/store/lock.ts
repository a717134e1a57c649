import { HiveError } from "../shared/error.ts"
import { type ProcessIdentity, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import { explainSystemError, systemCode } from "../shared/system-error.ts"
import {
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  withFileSync,
  writeWhole,
} from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"

export interface HeldLock {
  /** False once another process has taken it over. */
  isHeld: () => boolean
  release: () => void
}

/**
 * Takes a lock file, such as the one that keeps the writers of all processes out of each other's way. It saves work, and
 * correctness does not depend on it: entries that are written under a lost lock do not count, as the log itself shows. A
 * dead owner's lock is taken over at once. Any other is taken over when it has not been kept alive for a while, as
 * measured by the process that waits: no other clock is used.
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
    if (now - started > GIVE_UP_AFTER_MS) throw stillLocked(path)
    // Jitter, so that waiting processes do not come back all at once.
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
  }
}

/** Runs a job while no other process writes ordered entries or folds. */
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

/** How long the graph's lock has not been kept alive, in ms; undefined if there is none. */
export function lockAge(paths: HivePaths, now: number): number | undefined {
  try {
    return Math.max(0, now - statSync(paths.lock).mtimeMs)
  } catch {
    return undefined // No lock; or no folder for it, which reading the graph reports.
  }
}

interface Owner extends ProcessIdentity {
  /** Identifies the lock among those of its owner. */
  take: string
}

function tryTake(path: string, take: string): boolean {
  const owner: Owner = { ...thisProcess, take }
  let isCreated = false
  try {
    withFileSync(path, "wx", (fd) => {
      isCreated = true
      writeWhole(fd, JSON.stringify(owner))
    })
    held.add(take)
    return true
  } catch (error) {
    // Others would wait for a lock without an owner.
    if (isCreated) rmSync(path, { force: true })
    if (!isCreated && systemCode(error) === "EEXIST") return false
    throw explainSystemError(error, "take the lock", path)
  }
}

function keepAlive(path: string, take: string): HeldLock {
  const timer = setInterval(() => {
    try {
      const now = new Date()
      if (readOwner(path)?.take === take) utimesSync(path, now, now)
    } catch {
      // Removed meanwhile: entries written from now on may not count, and are then written again.
    }
  }, ALIVE_EVERY_MS)
  timer.unref()
  return {
    isHeld: () => readOwner(path)?.take === take,
    release() {
      clearInterval(timer)
      held.delete(take)
      // Tried twice. A lock that stays is not kept alive any more, and so taken over.
      if (!removeOwn(path, take)) removeOwn(path, take)
    },
  }
}

/** False if something went wrong. */
function removeOwn(path: string, take: string): boolean {
  try {
    const owner = readOwner(path)
    if (owner?.take === take) rmSync(path, { force: true })
    return owner !== undefined
  } catch {
    return false
  }
}

function isOwnerDead(path: string): boolean {
  const owner = readOwner(path)
  if (owner === undefined) return false
  // A lock of this process that could not be removed.
  if (owner.token === thisProcess.token) return !held.has(owner.take)
  return stateOfProcess(owner) === "dead"
}

/** Removes the lock that was seen, and no other: another process may have been faster. */
function removeStale(path: string, sign: string): void {
  const aside = `${path}.dead-${process.pid}-${count++}`
  try {
    renameSync(path, aside)
  } catch {
    return // Another process was faster.
  }
  if (signOf(aside) !== sign) {
    // It was a new lock after all: put it back. If a third process took the lock in that moment, the second owner's
    // entries do not count.
    try {
      linkSync(aside, path)
    } catch {
      // Taken by another process meanwhile.
    }
  }
  rmSync(aside, { force: true, recursive: true })
}

function readOwner(path: string): Owner | undefined {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as Owner | null) ?? undefined
  } catch {
    return undefined // Being written, or not one of ours: then it is taken over once it is stale.
  }
}

/** Changes whenever its owner keeps the lock alive, and with every new lock. */
function signOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? "none" : `${stat.ino}:${stat.birthtimeMs}:${stat.mtimeMs}`
}

function stillLocked(path: string): HiveError {
  return new HiveError({
    code: "locked",
    what: "Could not get the lock of the graph. Nothing was written.",
    why: "Other processes have been writing for more than half a minute.",
    use_instead: "Try again; `hivemind doctor` shows which process holds the lock.",
    evidence: path,
  })
}

let count = 0
/** Locks of this process. */
const held = new Set<string>()
export const STALE_AFTER_MS = 3000
const ALIVE_EVERY_MS = 500
const GIVE_UP_AFTER_MS = 30_000
const MAX_WAIT_MS = 40
