import { currentTask } from "../../graph/current-task.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { withTimeout } from "../../shared/timeout.ts"
import type { Recalled } from "../pack/knowledge-items.ts"

interface Pending {
  /** The message that was looked for last. */
  message: string | undefined
  task: string | undefined
  /** Found for messages and not yet used. */
  found: Recalled[]
  /** Found for the task at hand: used in every full state. */
  forTask: Recalled[]
  open: Set<Promise<void>>
}

/** Recalls for messages and tasks in the background. Results that are late join the next message: no turn waits long. */
export function createRecalls(onError: (what: string, error: unknown) => void) {
  const sessions = new Map<string, Pending>()
  let index: "cold" | "warming" | "warm" = "cold"
  /** The index is waited for until then, for all sessions together. */
  let coldUntil: number | undefined

  function pendingOf(session: string): Pending {
    const pending = sessions.get(session) ?? {
      message: undefined,
      task: undefined,
      found: [],
      forTask: [],
      open: new Set(),
    }
    // The least recently used session goes first.
    sessions.delete(session)
    sessions.set(session, pending)
    const [oldest] = sessions.keys()
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest)
    return pending
  }

  function track(pending: Pending, work: Promise<Recalled[]>, keep: (found: Recalled[]) => void): void {
    const done = work
      .then(keep)
      .catch((error: unknown) => onError("recall failed", error))
      .finally(() => pending.open.delete(done))
    pending.open.add(done)
  }

  /** Starts the recall for a message. Settles when it is done; callers need not wait. */
  async function begin(hive: Hive, session: string, text: string): Promise<void> {
    if (index === "cold") void warm(hive)
    const pending = pendingOf(session)
    if (pending.message !== text)
      track(pending, recallFor("message", hive, text), (found) => void pending.found.push(...found))
    pending.message = text
    await Promise.all(pending.open)
  }

  /** Returns the mems and tasks found for a message and for the task at hand, after a short wait. */
  async function take(hive: Hive, session: string, text: string, isFirst: boolean): Promise<Recalled[]> {
    void begin(hive, session, text)
    const pending = pendingOf(session)
    const task = currentTask(hive.store.read().state, session)
    const about = task === undefined ? undefined : taskText(task)
    if (about !== pending.task) {
      pending.task = about
      pending.forTask = []
      if (about !== undefined)
        track(pending, recallFor("task", hive, about), (found) => {
          if (pending.task === about) pending.forTask = found
        })
    }
    pending.message = undefined
    if (pending.open.size > 0) await withTimeout(Promise.all(pending.open), waitMs(isFirst))
    const found = [...pending.found.splice(0), ...pending.forTask]
    // Corrections of this conversation are in it already.
    const isOwn = (each: Recalled) =>
      "mem" in each && each.mem.origin === "correction" && each.mem.session_id === session
    return found.filter((each) => !isOwn(each))
  }

  async function warm(hive: Hive): Promise<void> {
    index = "warming"
    try {
      const { memIndexFiled, warmMemIndex } = await import("../../knowledge/index/mem-index.ts")
      await warmMemIndex(hive.store)
      index = "warm"
      await memIndexFiled(hive.store)
    } catch (error) {
      onError("the index of the mems could not be built", error)
    }
    index = "warm"
  }

  function waitMs(isFirst: boolean): number {
    const usual = isFirst ? FIRST_WAIT_MS : WAIT_MS
    if (index === "warm") return usual
    coldUntil ??= performance.now() + COLD_WAIT_MS
    return Math.max(usual, coldUntil - performance.now())
  }

  return { begin, take }
}

/** Loaded with the first message, to keep the plugin's start fast. */
async function recallFor(from: "message" | "task", hive: Hive, text: string): Promise<Recalled[]> {
  const { recallForMessage } = await import("./recall-for-message.ts")
  return recallForMessage(hive, text, from)
}

function taskText({ title, expected_output, file, file_locks }: Task): string {
  const files = [...(file === null ? [] : [file]), ...file_locks].slice(0, MAX_FILES)
  return [title, expected_output, ...files].join("\n")
}

// Once per process, while the index is built. A few thousand mems take a fifth of this.
const COLD_WAIT_MS = 1500
const FIRST_WAIT_MS = 150
const WAIT_MS = 10
const MAX_SESSIONS = 50
const MAX_FILES = 5
