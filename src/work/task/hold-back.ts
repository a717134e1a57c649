import { requireTask } from "../../graph/current-task.ts"
import { isOpenTask } from "../../graph/lifecycle.ts"
import { type Lookup, obstaclesOf } from "../../graph/obstacles.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { removeFromReadHeads } from "./release.ts"
import { unblockTasks } from "./unblock.ts"

/** A person blocks a task: nobody takes it up until a person unblocks it, and who worked on it has it no more. */
export async function blockTask(hive: Hive, caller: Caller, taskRef: string, reason: string): Promise<Task> {
  const { id } = requireTask(hive.store.read().state, "", taskRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const task = tx.need("task", id)
    if (!isOpenTask(task)) throw notBlocked(task)
    tx.set("task", id, {
      status: "blocked",
      held_back: reason,
      assigned_session_id: null,
      updated_at: at,
    })
    removeFromReadHeads(tx, id, at)
    return tx.need("task", id)
  })
  return result
}

/** Takes that back. What else the task waits for still holds. */
export async function unblockTask(hive: Hive, caller: Caller, taskRef: string): Promise<Task> {
  const { id } = requireTask(hive.store.read().state, "", taskRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const task = tx.need("task", id)
    if (task.held_back === null) throw notHeldBack(task, (kind, each) => tx.get(kind, each))
    tx.set("task", id, { held_back: null, updated_at: at })
    unblockTasks(tx, [tx.need("task", id)], at)
    return tx.need("task", id)
  })
  return result
}

function notBlocked({ id, title, status }: Task): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: `The task "${title}" was not blocked.`,
    why: `It is ${status}.`,
    use_instead: "Only a task that is to be done or under way can be blocked.",
    evidence: `task ${id}: status = ${status}`,
  })
}

function notHeldBack(task: Task, get: Lookup): HiveError {
  const [obstacle] = obstaclesOf(task, get)
  return new HiveError({
    code: "lifecycle",
    what: `The task "${task.title}" was not unblocked.`,
    why: obstacle?.why ?? "Nothing holds it back.",
    use_instead: obstacle?.instead ?? "Nothing has to be done.",
    evidence: obstacle?.evidence ?? `task ${task.id}: held_back = null`,
  })
}
