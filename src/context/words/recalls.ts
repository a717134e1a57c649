import { currentTask } from "../../graph/current-task.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { BoundedMap } from "../../shared/ids.ts"
import { withTimeout } from "../../shared/timeout.ts"
import type { Recalled } from "../pack/knowledge-items.ts"

interface Pending {
  message: string | undefined
  task: string | undefined
  found: Recalled[]
  /** Hits for the current task: unlike `found`, they are returned for every message. */
  forTask: Recalled[]
  open: Set<Promise<void>>
}

/** Recalls for messages and tasks in the background. Late results join the next message, so no turn waits long. */
export function createRecalls(onError: (what: string, error: unknown) => void) {
  const sessions = new BoundedMap<string, Pending>()
  let index: "cold" | "warming" | "warm" = "cold"
  /** Until this time, turns of all sessions wait for an index that is still being built. */
  let coldUntil: number | undefined

  function pendingOf(session: string): Pending {
    const pending = sessions.get(session) ?? {
      message: undefined,
      task: undefined,
      found: [],
      forTask: [],
      open: new Set(),
    }
    sessions.set(session, pending)
    return pending
  }

  function track(pending: Pending, work: Promise<Recalled[]>, keep: (found: Recalled[]) => void): void {
    const done = work
      .then(keep)
      .catch((error: unknown) => onError("recall failed", error))
      .finally(() => pending.open.delete(done))
    pending.open.add(done)
  }

  async function begin(hive: Hive, session: string, text: string): Promise<void> {
    if (index === "cold") void warm(hive)
    const pending = pendingOf(session)
    if (pending.message !== text)
      track(pending, recallFor("message", hive, text), (found) => void pending.found.push(...found))
    pending.message = text
    await Promise.all(pending.open)
  }

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
    // Corrections from this conversation are already in the model's context.
    const isOwn = (each: Recalled) =>
      "mem" in each && each.mem.origin === "correction" && each.mem.session_id === session
    return found.filter((each) => !isOwn(each))
  }

  async function warm(hive: Hive): Promise<void> {
    index = "warming"
    try {
      const { memIndexOf } = await import("../../knowledge/index/mem-index.ts")
      const mems = memIndexOf(hive.store)
      await mems.warm()
      index = "warm"
      await mems.filed()
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

/** The recall code is loaded with the first message, to keep the plugin's start fast. */
async function recallFor(from: "message" | "task", hive: Hive, text: string): Promise<Recalled[]> {
  const { recallForMessage } = await import("./recall-for-message.ts")
  return recallForMessage(hive, text, from)
}

function taskText({ title, expected_output, file, file_locks }: Task): string {
  const files = [...(file === null ? [] : [file]), ...file_locks].slice(0, MAX_FILES)
  return [title, expected_output, ...files].join("\n")
}

// How long turns wait while the index is built, once per process. A few thousand mems take a fifth of this time.
const COLD_WAIT_MS = 1500
const FIRST_WAIT_MS = 150
const WAIT_MS = 10
const MAX_FILES = 5
