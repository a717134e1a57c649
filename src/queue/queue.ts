import type { Hive } from "../hive/hive.ts"
import { checked } from "../schemas/checked.ts"
import type { Entry } from "../schemas/entry.ts"
import {
  type CommandOutcome,
  type QueuedCommand,
  queuedCommand,
  type WaitingCommand,
  waitingLine,
} from "../schemas/queued-command.ts"
import { type ErrorCode, HiveError, toRefusal } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { DAY_MS, HOUR_MS } from "../shared/time.ts"
import { type CommandQueue, commandQueue, type QueueContents } from "../store/command-queue.ts"
import { hivePaths } from "../store/files/layout.ts"
import type { HeldLock } from "../store/lock.ts"
import type { Store } from "../store/store.ts"
import { applyCommand, authorTool, TOOL } from "./apply.ts"

/** Adds a command to the queue on disk. The next process that drains the queue applies it. */
export async function enqueue(hive: Hive, from: string, command: QueuedCommand): Promise<string> {
  const { newId, now } = hive.source
  const given = checked("The command", queuedCommand, command)
  const line = { id: newId(), at: new Date(now()).toISOString(), from, command: given }
  await queueOf(hive).add(checked("The command", waitingLine, line))
  return line.id
}

/** The outcome of a command. Undefined if its id is unknown: only the newest outcomes are kept. */
export function outcomeOf(hive: Hive, id: string): CommandOutcome | "waiting" | undefined {
  const { waiting, finished } = queueOf(hive).read()
  return waiting.has(id) ? "waiting" : finished.get(id)?.outcome
}

export function waiting(hive: Hive): WaitingCommand[] {
  return [...queueOf(hive).read().waiting.values()]
}

export function queueContents(hive: Hive): QueueContents {
  return queueOf(hive).read()
}

/** Applies up to `atMost` waiting commands, each in only one process. Rejects if nothing can be written. */
export function drain(hive: Hive, atMost = AT_MOST): Promise<Drained> {
  const { store } = hive
  const running = (underWay.get(store) ?? Promise.resolve())
    .catch(() => {}) // The caller of the earlier run gets its error.
    .then(async () => {
      const queue = queueOf(hive)
      if ((await queue.readInSlices()).waiting.size === 0) return { applied: 0, refused: 0 }
      return drainQueue(hive, queue, atMost)
    })
  underWay.set(store, running)
  return running
}

type Drained = { applied: number; refused: number }

/**
 * Applies commands, oldest first, under a lock. A process may have died after writing a command's entry and before its
 * outcome, so the log is searched first. A failed command does not stop the others, unless nothing can be written.
 */
async function drainQueue(hive: Hive, queue: CommandQueue, atMost: number): Promise<Drained> {
  const lock = await queue.takeDrainLock()
  try {
    const { waiting } = await queue.readInSlices()
    const due = [...waiting.values()].slice(0, atMost)
    const earlier = await appliedEarlier(hive, due)
    const drained = { applied: 0, refused: 0 }
    for (const command of due) {
      if (!lock.isHeld()) break
      // If the lock was lost, the process that has it now applies the command.
      const outcome = await settle(hive, command, earlier.get(authorTool(command.id)), lock).catch(
        (error) => {
          if (lock.isHeld()) throw error
        },
      )
      if (outcome === undefined) break
      queue.finish(outcome)
      drained[outcome.ok ? "applied" : "refused"]++
    }
    await queue.shorten()
    return drained
  } finally {
    lock.release()
  }
}

async function settle(
  hive: Hive,
  command: WaitingCommand,
  earlier: Entry | undefined,
  lock: HeldLock,
): Promise<CommandOutcome> {
  const done = { done: command.id, at: new Date(hive.source.now()).toISOString() }
  try {
    if (earlier !== undefined) return { ...done, ok: true, entry: earlier.id }
    const { entry, note } = await applyCommand(hive, command, lock.isHeld)
    const told = note === undefined ? {} : { note: shorten(note, MAX_WORDS) }
    return { ...done, ok: true, entry: entry?.id ?? null, ...told }
  } catch (error) {
    if (error instanceof HiveError && KEEPS_WAITING.has(error.code)) throw error
    const { what, why, use_instead } = toRefusal(error)
    return {
      ...{ ...done, ok: false, what: shorten(what, MAX_WORDS) },
      ...{ why: shorten(why, MAX_WORDS), use_instead: shorten(use_instead, MAX_WORDS) },
    }
  }
}

async function appliedEarlier(
  { store, source }: Hive,
  due: readonly WaitingCommand[],
): Promise<ReadonlyMap<string, Entry>> {
  const times = due.map(({ at }) => Date.parse(at))
  if (times.length === 0) return new Map()
  // A day and an hour of margin: the clock may have been set back. If a command's time is in the future, reads the whole log.
  const isBounded = Math.max(...times) <= source.now()
  const since = new Date(Math.min(...times) - DAY_MS - HOUR_MS).toISOString()
  const entries = await store.log({ tool: `${TOOL} `, ...(isBounded && { since }) })
  return new Map(entries.map((entry) => [entry.by.tool, entry]))
}

/** Returns the store's queue. It is kept between calls, so that its file is not read from the start each time. */
function queueOf({ store, home }: Hive): CommandQueue {
  const queue = queues.get(store) ?? commandQueue(hivePaths(home))
  queues.set(store, queue)
  return queue
}

const queues = new WeakMap<Store, CommandQueue>()
const underWay = new WeakMap<Store, Promise<Drained>>()
const AT_MOST = 200
// Errors after which commands keep waiting, because nothing can be written at the moment.
const KEEPS_WAITING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "disk_full",
  "not_readable",
  "not_writable",
  "locked",
  "closed",
  "newer_format",
  "unconfirmed",
])
const MAX_WORDS = 1000
