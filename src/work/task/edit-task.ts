import { byAge, placeOf } from "../../graph/by-age.ts"
import { requireTask } from "../../graph/current-task.ts"
import { levelOf } from "../../graph/indexes.ts"
import { isOpenTask, isStartableTask } from "../../graph/lifecycle.ts"
import { obstaclesOf } from "../../graph/obstacles.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { taskRefusal, writeGraph } from "../write.ts"
import { releaseTask, removeFromReadHeads, unblockTasks } from "./start.ts"

type TaskEdit = { [F in "title" | "expected_output" | "verify"]?: Task[F] | undefined }

export function editTask(hive: Hive, caller: Caller, given: string, edit: TaskEdit): Promise<Task> {
  return changeTask(hive, caller, given, (tx, task, at) => {
    if (!isStartableTask(task))
      throw taskRefusal(task, "was not changed", {
        why: `The task is ${task.status}, so its texts can no longer be changed.`,
        use_instead: "Plan a new task.",
      })
    const { title = task.title, expected_output = task.expected_output, verify = task.verify } = edit
    return tx.set("task", task.id, { title, expected_output, verify, updated_at: at })
  })
}

export function blockTask(hive: Hive, caller: Caller, given: string, reason: string): Promise<Task> {
  return changeTask(hive, caller, given, (tx, task, at) => {
    if (!isOpenTask(task))
      throw taskRefusal(task, "was not blocked", {
        why: `The task is ${task.status}.`,
        use_instead: "Block only tasks that are planned or under way.",
      })
    removeFromReadHeads(tx, task.id, at)
    const blocked = { status: "blocked", held_back: reason, assigned_session_id: null } as const
    return tx.set("task", task.id, { ...blocked, updated_at: at })
  })
}

export function unblockTask(hive: Hive, caller: Caller, given: string): Promise<Task> {
  return changeTask(hive, caller, given, (tx, task, at) => {
    if (task.held_back === null) {
      const [obstacle] = obstaclesOf(task, (kind, each) => tx.get(kind, each))
      const free = { why: "Nothing blocks the task.", use_instead: "Nothing needs to be done." }
      throw taskRefusal(task, "was not unblocked", obstacle ?? free)
    }
    unblockTasks(tx, [tx.set("task", task.id, { held_back: null, updated_at: at })], at)
    return tx.need("task", task.id)
  })
}

export function takeTask(hive: Hive, caller: Caller, given: string): Promise<{ task: Task; from: string }> {
  return changeTask(hive, caller, given, (tx, task, at) => {
    const from = isStartableTask(task) ? task.assigned_session_id : null
    if (from === null)
      throw taskRefusal(task, "was not taken", {
        why: `The task is ${task.status}, and no session works on it.`,
        use_instead: "Nothing needs to be done: any session can start a planned task.",
      })
    if (task.status === "active") releaseTask(tx, task, at)
    else {
      tx.set("task", task.id, { assigned_session_id: null, updated_at: at })
      removeFromReadHeads(tx, task.id, at)
    }
    return { task: tx.need("task", task.id), from }
  })
}

/** Moves a task before another one on its level; with null, to the end. */
export function moveTask(hive: Hive, caller: Caller, given: string, before: string | null): Promise<Task> {
  const target = before === null ? null : requireTask(hive.store.read().state, "", before)
  return changeTask(hive, caller, given, (tx, task, at) => {
    const others = tasksBeside(tx, task)
    const next = target === null ? others.length : others.findIndex((other) => other.id === target.id)
    if (target !== null && next < 0)
      throw taskRefusal(task, "was not moved", {
        code: "invalid_argument",
        why:
          task.id === target.id
            ? "A task cannot come before itself."
            : `"${target.title}" is in another phase, or is a sub-task of another task.`,
        use_instead: "Name a task of the same phase and of the same parent task.",
        evidence: `task ${target.id}`,
      })
    for (const [moved, rank] of ranksFor(task, others, next)) tx.set("task", moved, { rank, updated_at: at })
    return tx.need("task", task.id)
  })
}

function changeTask<T>(
  hive: Hive,
  caller: Caller,
  given: string,
  change: (tx: Transaction, task: Task, at: string) => T,
): Promise<T> {
  const { id } = requireTask(hive.store.read().state, "", given)
  return writeGraph(hive, caller, (tx, at) => change(tx, tx.need("task", id), at))
}

/** New ranks that put a task before the one at `next`. Other tasks get new ranks only if there is no room between. */
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

// Small, so that a moved task stays close to its neighbours.
const STEP = 1 / 256
