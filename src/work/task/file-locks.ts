import { foldersOf, lockPath } from "../../graph/lock-path.ts"
import type { Task } from "../../schemas/task.ts"

/** Finds tasks by their locks, in a state or in a transaction. */
type FindLocks = (index: "lock" | "lock_below", path: string) => Iterable<Task>

/** The task under way, other than `except`, that has locked this path; a locked folder locks what is in it. */
export function lockHolder(find: FindLocks, path: string, except: string | undefined): Task | undefined {
  const wanted = lockPath(path)
  const around = [wanted, ...foldersOf(wanted)].map((each) => find("lock", each))
  for (const tasks of [...around, find("lock_below", wanted)])
    for (const task of tasks) if (task.id !== except) return task
  return undefined
}
