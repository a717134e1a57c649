import { closeSync } from "node:fs"
import { HiveError } from "../shared/error.ts"
import { type ProcessIdentity, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import { explainSystemError, systemCode } from "../shared/system-error.ts"
import { writeWhole } from "./files/atomic-write.ts"
import {
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"

export interface HeldLock {
  /** False once another process has taken it over. */
  isHeld: () => boolean
  release: () => void
}

/**
 * Takes the lock that keeps the writers of all processes out of each other's way. It saves work, and nothing rests on
 * it: what is written under a lock that was lost does not count, as the log itself shows. A dead owner's lock is taken
 * over at once. Any other is taken over when nobody has kept it alive for a while, as seen by the one who waits:
 * nobody's clock is asked.
 */
export function takeLock(paths: HivePaths): Promise<HeldLock> {
  return takeLockAt(paths.lock)
}

/** The same for another file. */
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
      takeAway(path, sign)
      continue
    }
    if (now - started > GIVE_UP_AFTER_MS) throw stillLocked(path)
    // Jitter, so that waiting processes do not come back all at once.
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
  }
}

/** Runs a job while no other process writes; for what must be read and then written in one go. */
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

/** How long nobody has kept the lock alive, in ms, or undefined where there is none. */
export function lockAge(paths: HivePaths, now: number): number | undefined {
  try {
    return Math.max(0, now - statSync(paths.lock).mtimeMs)
  } catch {
    return undefined // No lock; or no folder for it, which reading the graph tells of.
  }
}

interface Owner extends ProcessIdentity {
  /** Which of its owner's locks it is. */
  take: string
}

function tryTake(path: string, take: string): boolean {
  try {
    writeOwner(path, openSync(path, "wx"), { ...thisProcess, take })
    held.add(take)
    return true
  } catch (error) {
    // A version before this one made a folder of that name.
    if (systemCode(error) === "EEXIST" || systemCode(error) === "EISDIR") return false
    throw explainSystemError(error, "take the lock", path)
  }
}

/** A lock that does not say whose it is would be waited for. */
function writeOwner(path: string, fd: number, owner: Owner): void {
  try {
    try {
      writeWhole(fd, JSON.stringify(owner))
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

function keepAlive(path: string, take: string): HeldLock {
  const timer = setInterval(() => {
    try {
      const now = new Date()
      if (readOwner(path)?.take === take) utimesSync(path, now, now)
    } catch {
      // Taken away meanwhile: what is written from now on may not count, and is then written again.
    }
  }, ALIVE_EVERY_MS)
  timer.unref()
  return {
    isHeld: () => readOwner(path)?.take === take,
    release() {
      clearInterval(timer)
      held.delete(take)
      // What was done under it is done. One that stays, nobody keeps alive any more: it is taken over.
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
    return false // Tried once more by the caller.
  }
}

function isOwnerDead(path: string): boolean {
  const owner = readOwner(path)
  if (owner === undefined) return false
  // One of ours that could not be removed.
  if (owner.token === thisProcess.token) return !held.has(owner.take)
  return stateOfProcess(owner) === "dead"
}

/** Removes the lock that was seen, and no other: somebody may have been faster. */
function takeAway(path: string, sign: string): void {
  const aside = `${path}.dead-${process.pid}-${count++}`
  try {
    renameSync(path, aside)
  } catch {
    return // Another process was faster.
  }
  if (signOf(aside) === sign) rmSync(aside, { force: true, recursive: true })
  else restore(aside, path)
}

/** It was a new lock after all. If that moment was long enough for a third one, the second owner's work does not count. */
function restore(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch {
    // Taken by another process meanwhile.
  }
  rmSync(aside, { force: true, recursive: true })
}

function readOwner(path: string): Owner | undefined {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as Owner | null) ?? undefined
  } catch {
    return undefined // Being written, or not one of ours: then it is taken over when nobody keeps it alive.
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
    use_instead: "Try again; `hivemind doctor` tells who holds the lock.",
    evidence: path,
  })
}

let count = 0
/** Of the locks that this process holds. */
const held = new Set<string>()
export const STALE_AFTER_MS = 3000
const ALIVE_EVERY_MS = 500
const GIVE_UP_AFTER_MS = 30_000
const MAX_WAIT_MS = 40
