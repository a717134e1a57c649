import type { Hive } from "../hive/hive.ts"
import { checked } from "../schemas/checked.ts"
import {
  type CommandOutcome,
  type QueuedCommand,
  queuedCommand,
  type WaitingCommand,
  waitingLine,
} from "../schemas/queued-command.ts"
import { type CommandQueue, commandQueue } from "../store/command-queue.ts"
import type { QueueContents } from "../store/files/command-file.ts"
import { hivePaths } from "../store/files/layout.ts"
import type { Store } from "../store/store.ts"
import { type Drained, drainQueue } from "./drain.ts"

/** Asks for a change from outside: safe on disk when it returns, applied by the next process that drains. */
export async function enqueue(hive: Hive, from: string, command: QueuedCommand): Promise<string> {
  const { newId, now } = hive.source
  const given = checked("The command", queuedCommand, command)
  const line = { id: newId(), at: new Date(now()).toISOString(), from, command: given }
  await queueOf(hive).add(checked("The command", waitingLine, line))
  return line.id
}

/** What became of a command; undefined where it is not known (any more). */
export function outcomeOf(hive: Hive, id: string): CommandOutcome | "waiting" | undefined {
  const { waiting, finished } = queueOf(hive).read()
  return waiting.has(id) ? "waiting" : finished.get(id)?.outcome
}

/** In the order they came. */
export function waiting(hive: Hive): WaitingCommand[] {
  return [...queueOf(hive).read().waiting.values()]
}

/** All that the queue holds: what waits, what was done or refused, and lines that are no commands. */
export function queueContents(hive: Hive): QueueContents {
  return queueOf(hive).read()
}

/**
 * Applies what waits, each command once, whichever processes do it. Cheap where nothing waits. Rejects where nothing can
 * be written; what is refused is no error but the outcome of a command.
 */
export function drain(hive: Hive, atMost = AT_MOST): Promise<Drained> {
  const { store } = hive
  const running = (underWay.get(store) ?? Promise.resolve())
    .catch(() => {}) // Its own caller gets the error.
    .then(async () => {
      const queue = queueOf(hive)
      if ((await queue.readInSlices()).waiting.size === 0) return { applied: 0, refused: 0 }
      return drainQueue(hive, queue, atMost)
    })
  underWay.set(store, running)
  return running
}

/** One for each store, so that the file is read on instead of anew. */
function queueOf({ store, home }: Hive): CommandQueue {
  const queue = queues.get(store) ?? commandQueue(hivePaths(home))
  queues.set(store, queue)
  return queue
}

const queues = new WeakMap<Store, CommandQueue>()
const underWay = new WeakMap<Store, Promise<Drained>>()
const AT_MOST = 200
