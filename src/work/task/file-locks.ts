import { ALL } from "../../graph/indexes.ts"
import { holderOf } from "../../graph/lifecycle.ts"
import { foldersOf, lockPath } from "../../graph/lock-path.ts"
import type { GraphState } from "../../graph/state.ts"
import { projectPath } from "../../project/project-path.ts"
import type { Task } from "../../schemas/task.ts"
import { isGlob, pathsMeet } from "../../shared/glob.ts"
import { isSessionOver } from "./holder.ts"

/** Finds tasks under way by their locks, in a state or in a transaction. */
export type FindLocks = (
  index: "lock" | "lock_below" | "locked" | "lock_pattern",
  key: string,
) => Iterable<Task>

/**
 * The task under way, other than `except`, that has locked this path; a locked folder locks what is in it. Both may be
 * patterns, and absolute in `dir`.
 */
export function lockHolder(
  find: FindLocks,
  path: string,
  except: string | undefined,
  dir?: string,
): Task | undefined {
  const wanted = lockPath(path)
  const isOther = (task: Task) => task.id !== except
  const isMet = (task: Task) => task.file_locks.some((lock) => pathsMeet(inProject(lock, dir), wanted))
  const isWide = isGlob(wanted) || wanted === ""
  if (!isWide) {
    for (const each of spellings(wanted, dir))
      for (const tasks of [each, ...foldersOf(each)]
        .map((one) => find("lock", one))
        .concat([find("lock_below", each)]))
        for (const task of tasks) if (isOther(task)) return task
  }
  for (const task of find(isWide ? "locked" : "lock_pattern", ALL))
    if (isOther(task) && isMet(task)) return task
  return undefined
}

/** A session that is over holds nothing: what its tasks have locked is free. */
export function heldLocks(find: FindLocks, state: GraphState): FindLocks {
  const isHeld = (task: Task) => {
    const holder = holderOf(task)
    return holder === null || !isSessionOver(state, holder)
  }
  return function* (index, key) {
    for (const task of find(index, key)) if (isHeld(task)) yield task
  }
}

/** As a lock is kept: relative to the project, wherever it was named from. */
export function keptLock(dir: string, path: string): string {
  const lock = lockPath(path)
  if (!lock.startsWith("/") && !/^[A-Za-z]:\//.test(lock)) return lock || "."
  // Links are resolved up to the first pattern.
  const segments = lock.split("/")
  const fixed = segments.findIndex(isGlob)
  const folder = fixed === -1 ? lock : segments.slice(0, fixed).join("/")
  const inside = projectPath(dir, folder || "/")
  if (inside === undefined) return lock
  return lockPath([inside || ".", ...(fixed === -1 ? [] : segments.slice(fixed))].join("/")) || "."
}

/** Locks of older records may be absolute still. */
function inProject(lock: string, dir: string | undefined): string {
  const path = lockPath(lock)
  return dir !== undefined && path.startsWith(`${lockPath(dir)}/`)
    ? path.slice(lockPath(dir).length + 1)
    : path
}

function spellings(path: string, dir: string | undefined): string[] {
  return dir === undefined || path.startsWith("/") ? [path] : [path, `${lockPath(dir)}/${path}`]
}
