import { ALL, foldersOf, lockPath } from "../../graph/indexes.ts"
import { holderOf } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { isSessionOver } from "../../hive/host-process.ts"
import { projectPath } from "../../project/project-path.ts"
import type { Task } from "../../schemas/task.ts"
import { isGlob, pathsMeet } from "../../shared/glob.ts"

/** Finds active tasks by their locks, in a state or in a transaction. */
type FindLocks = (index: "lock" | "lock_below" | "locked" | "lock_pattern", key: string) => Iterable<Task>

/**
 * The active task, other than `except`, that has locked this path. A locked folder locks everything in it, both may be
 * globs, and a session that is over locks nothing.
 */
export function lockHolder(
  find: FindLocks,
  state: GraphState,
  path: string,
  except: string | undefined,
): Task | undefined {
  const wanted = lockPath(path)
  const isWide = isGlob(wanted) || wanted === ""
  const isMet = (task: Task) => task.file_locks.some((lock) => pathsMeet(lockPath(lock), wanted))
  const isHeld = (task: Task) => {
    const holder = holderOf(task)
    return task.id !== except && (holder === null || !isSessionOver(state, holder))
  }
  if (!isWide) {
    const exact = [wanted, ...foldersOf(wanted)].map((one) => find("lock", one))
    for (const tasks of [...exact, find("lock_below", wanted)])
      for (const task of tasks) if (isHeld(task)) return task
  }
  for (const task of find(isWide ? "locked" : "lock_pattern", ALL))
    if (isHeld(task) && isMet(task)) return task
  return undefined
}

/** A lock as it is kept: relative to the project, also where it was given as an absolute path. */
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
