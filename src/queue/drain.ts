import type { Hive } from "../hive/hive.ts"
import type { Entry } from "../schemas/entry.ts"
import type { CommandOutcome, WaitingCommand } from "../schemas/queued-command.ts"
import { type ErrorCode, HiveError, toRefusal } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { DAY_MS, HOUR_MS } from "../shared/time.ts"
import type { CommandQueue } from "../store/command-queue.ts"
import type { HeldLock } from "../store/lock.ts"
import { applyCommand, authorTool, TOOL } from "./apply.ts"

export interface Drained {
  applied: number
  refused: number
}

/**
 * Applies what waits, the oldest first, while no other process does. A process may have died between writing a command's
 * entry and noting that: the log is asked first, and then only the note is made. What goes wrong with one command
 * is its outcome and stops no other; where nothing can be written at all, all keep waiting and the error says why.
 */
export async function drainQueue(hive: Hive, queue: CommandQueue, atMost: number): Promise<Drained> {
  const lock = await queue.takeDrainLock()
  try {
    const { waiting } = await queue.readInSlices()
    const due = [...waiting.values()].slice(0, atMost)
    const earlier = await appliedEarlier(hive, due)
    const drained = { applied: 0, refused: 0 }
    for (const command of due) {
      if (!lock.isHeld()) break
      const outcome = await settle(hive, command, earlier.get(authorTool(command.id)), lock)
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

/** Entries of commands that wait by what the file says, by their authors' tool. */
async function appliedEarlier(
  { store, source }: Hive,
  due: readonly WaitingCommand[],
): Promise<ReadonlyMap<string, Entry>> {
  const times = due.map(({ at }) => Date.parse(at))
  if (times.length === 0) return new Map()
  // The clock may have been set back between the command and its entry, by hours at most. Where a command comes from the
  // future it was set back by nobody knows how much: then the whole log is asked.
  const isBounded = Math.max(...times) <= source.now()
  const since = new Date(Math.min(...times) - DAY_MS - HOUR_MS).toISOString()
  const entries = await store.log({ tool: `${TOOL} `, ...(isBounded && { since }) })
  return new Map(entries.map((entry) => [entry.by.tool, entry]))
}

// Says nothing about the command: the disk, or the process, is not able to write now.
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
