import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import type { Task } from "../../schemas/task.ts"

/** The task under way, other than `except`, that has locked this path; a locked folder locks what is in it. */
export function lockHolder(
  tasks: Iterable<Task>,
  path: string,
  except: string | undefined,
): Task | undefined {
  const wanted = normal(path)
  for (const task of tasks) {
    if (task.id === except || !isTaskUnderWay(task)) continue
    if (task.file_locks.some((lock) => covers(normal(lock), wanted))) return task
  }
  return undefined
}

function covers(lock: string, path: string): boolean {
  return lock === path || path.startsWith(`${lock}/`) || lock.startsWith(`${path}/`)
}

function normal(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/+$/, "")
}
