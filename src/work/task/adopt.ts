import { isHeldByOther } from "../../graph/lifecycle.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { ensureSession } from "../session/start.ts"
import { activate } from "./start.ts"

/** Makes a task that is under way the session's own, if no other session has taken it meanwhile. */
export async function adoptTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskId: string,
): Promise<void> {
  const now = hive.source.now()
  await hive.store.write(authorOf(caller), (tx) => {
    const task = tx.get("task", taskId)
    if (task?.status !== "active" || isHeldByOther(task, caller.session)) return
    ensureSession(tx, caller, now, task.title)
    activate(tx, task, caller.session, now)
  })
}
