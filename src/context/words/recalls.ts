import { currentTask } from "../../graph/current-task.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { withTimeout } from "../../shared/timeout.ts"
import type { Recalled } from "../pack/recalled.ts"

/**
 * What messages and tasks bring back, looked for in the background from the moment a message comes. What is not found in
 * time joins the next message: no turn waits long for it.
 */
export function createRecalls(onError: (what: string, error: unknown) => void) {
  const sessions = new Map<string, Pending>()
  let index: "cold" | "warming" | "warm" = "cold"
  /** Until when the index is waited for, for all sessions together. */
  let coldUntil: number | undefined

  function pendingOf(session: string): Pending {
    const there = sessions.get(session) ?? {
      message: undefined,
      task: undefined,
      found: [],
      forTask: [],
      open: new Set(),
    }
    sessions.delete(session)
    sessions.set(session, there)
    const [oldest] = sessions.keys()
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest)
    return there
  }

  function look(pending: Pending, work: Promise<Recalled[]>, keep: (found: Recalled[]) => void): void {
    const done = work
      .then(keep)
      .catch((error: unknown) => onError("what the words are about could not be looked for", error))
      .finally(() => pending.open.delete(done))
    pending.open.add(done)
  }

  /** A message has come: starts to look for what it is about. Settles when that is over; nobody has to wait for it. */
  async function begin(hive: Hive, session: string, text: string): Promise<void> {
    if (index === "cold") void warm(hive)
    const pending = pendingOf(session)
    if (pending.message !== text)
      look(pending, lookFor("message", hive, text), (found) => void pending.found.push(...found))
    pending.message = text
    await Promise.all(pending.open)
  }

  /** What has been found for a message and for the task at hand; waits no longer than that for the rest. */
  async function take(hive: Hive, session: string, text: string, isFirst: boolean): Promise<Recalled[]> {
    void begin(hive, session, text)
    const pending = pendingOf(session)
    const task = currentTask(hive.store.read().state, session)
    const about = task === undefined ? undefined : textOfTask(task)
    if (about !== pending.task) {
      pending.task = about
      pending.forTask = []
      if (about !== undefined)
        look(pending, lookFor("task", hive, about), (found) => {
          if (pending.task === about) pending.forTask = found
        })
    }
    pending.message = undefined
    if (pending.open.size > 0) await withTimeout(Promise.all(pending.open), waitMs(isFirst))
    return [...pending.found.splice(0), ...pending.forTask]
  }

  /** Builds the index also where the first message asks for nothing: the next one may. */
  async function warm(hive: Hive): Promise<void> {
    index = "warming"
    try {
      const { memIndexFiled, warmMemIndex } = await import("../../knowledge/recall/mem-index.ts")
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

/** Loaded with the first message: a plugin's start does not pay for it. */
async function lookFor(asker: "message" | "task", hive: Hive, text: string): Promise<Recalled[]> {
  const { fitting } = await import("./fitting.ts")
  return fitting(hive, text, asker)
}

/** What a task says of itself: its title, what is expected of it, and its files. */
function textOfTask({ title, expected_output, file, file_locks }: Task): string {
  const files = [...(file === null ? [] : [file]), ...file_locks].slice(0, MAX_FILES)
  return [title, expected_output, ...files].join("\n")
}

interface Pending {
  /** What is looked for, or was last. */
  message: string | undefined
  task: string | undefined
  /** Not yet told. */
  found: Recalled[]
  /** Of the task at hand: they belong to every full state as long as it is. */
  forTask: Recalled[]
  open: Set<Promise<void>>
}

// A fresh process builds the index with its first message, and that message mostly asks for something: it waits longer, once.
// A few thousand mems take a fifth of this.
const COLD_WAIT_MS = 1500
const FIRST_WAIT_MS = 150
const WAIT_MS = 10
const MAX_SESSIONS = 50
const MAX_FILES = 5
