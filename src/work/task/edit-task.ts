import { byAge, placeOf } from "../../graph/by-age.ts"
import { requireTask } from "../../graph/current-task.ts"
import { levelOf } from "../../graph/indexes.ts"
import { isOpenTask, isStartableTask } from "../../graph/lifecycle.ts"
import { type Lookup, obstaclesOf } from "../../graph/obstacles.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { removeFromReadHeads } from "./release.ts"
import { unblockTasks } from "./unblock.ts"

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

/** Puts a task before another one on its level (null: after all of them). What it depends on still comes first. */
export async function moveTask(
  hive: Hive,
  caller: Caller,
  taskRef: string,
  beforeRef: string | null,
): Promise<Task> {
  const { state } = hive.store.read()
  const { id } = requireTask(state, "", taskRef)
  const before = beforeRef === null ? null : requireTask(state, "", beforeRef).id
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const task = tx.need("task", id)
    const others = tasksBeside(tx, task)
    const next = before === null ? others.length : others.findIndex((other) => other.id === before)
    if (next < 0) throw elsewhere(task, tx.need("task", before ?? ""))
    for (const [moved, rank] of ranksFor(task, others, next)) tx.set("task", moved, { rank, updated_at: at })
    return tx.need("task", id)
  })
  return result
}

/** Ranks that put a task before the one at `next`: mostly its own alone. Those made in the same moment make room. */
function* ranksFor(task: Task, others: readonly Task[], next: number): Iterable<[string, number]> {
  const following = others[next]
  const earlier = others[next - 1]
  if (earlier === undefined) {
    if (following !== undefined) yield [task.id, placeOf(following) - STEP]
    return
  }
  const start = placeOf(earlier)
  const middle = following === undefined ? start + STEP : (start + placeOf(following)) / 2
  const isBetween = middle > start && (following === undefined || middle < placeOf(following))
  let last = isBetween ? middle : start + STEP
  yield [task.id, last]
  for (const other of others.slice(next)) {
    if (placeOf(other) > last) return
    last += STEP
    yield [other.id, last]
  }
}

function tasksBeside(tx: Transaction, task: Task): Task[] {
  return statusesWhere(() => true)
    .flatMap((status) => [...tx.by("task", `level ${status}`, levelOf(task))])
    .filter(({ id }) => id !== task.id)
    .sort(byAge)
}

function elsewhere(task: Task, before: Task): HiveError {
  const isSame = task.id === before.id
  return new HiveError({
    code: "invalid_argument",
    what: `The task "${task.title}" was not moved.`,
    why: isSame
      ? "It cannot come before itself."
      : `"${before.title}" is not beside it: not in the same phase, or part of another task.`,
    use_instead: "Name a task of the same phase and level.",
    evidence: `task ${before.id}`,
  })
}

// In ms. Fine enough that a task moved stays close to its neighbours, coarse enough for the numbers to tell apart.
const STEP = 1 / 256
