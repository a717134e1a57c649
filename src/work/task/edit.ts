import { requireTask } from "../../graph/current-task.ts"
import { isStartableTask } from "../../graph/lifecycle.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"

export type TaskEdit = { [F in "title" | "expected_output" | "verify"]?: Task[F] | undefined }

/** Changes what a task is. A person may, whoever works on it: its session is told with its next message. */
export async function editTask(hive: Hive, caller: Caller, taskRef: string, edit: TaskEdit): Promise<Task> {
  const { id } = requireTask(hive.store.read().state, "", taskRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const task = tx.need("task", id)
    if (!isStartableTask(task)) throw isOver(task)
    const { title = task.title, expected_output = task.expected_output, verify = task.verify } = edit
    tx.set("task", id, { title, expected_output, verify, updated_at: at })
    return tx.need("task", id)
  })
  return result
}

function isOver({ id, title, status }: Task): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: `The task "${title}" was not changed.`,
    why: `It is ${status}: what was done under its name stays as it was.`,
    use_instead: "Plan a new task.",
    evidence: `task ${id}: status = ${status}`,
  })
}
