import { closeSync, fstatSync, fsyncSync, readSync } from "node:fs"
import { dirname } from "node:path"
import {
  type CommandOutcome,
  outcomeLine,
  type WaitingCommand,
  waitingLine,
} from "../../schemas/queued-command.ts"
import { HiveError } from "../../shared/error.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import type { Pausing } from "../../shared/slices.ts"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import { tempNameFor, writeNewFile, writeWhole } from "./atomic-write.ts"
import { syncFolder } from "./folder.ts"
import { openSync, renameSync, rmSync, statSync } from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

interface FinishedCommand {
  command: WaitingCommand
  outcome: CommandOutcome
}

export interface QueueContents {
  /** In the order they came. */
  waiting: ReadonlyMap<string, WaitingCommand>
  /** In the order they were finished. */
  finished: ReadonlyMap<string, FinishedCommand>
  /** Lines that are neither a command nor an outcome of one; nobody acts on them. */
  strange: number
}

/**
 * The commands that people give from outside, `system/cmd_queue.jsonl`: a line for each, and one for what became of it.
 * Read on from where the last reading ended. Each line begins and ends with a newline, so that one torn by a crash spoils
 * no other. Who may write when is for the caller to see to.
 */
export function commandFile({ queue: path }: Pick<HivePaths, "queue">) {
  let seen = nothing()

  function* readOn(): Pausing<QueueContents> {
    const fd = openToRead(path)
    if (fd === undefined) {
      seen = nothing()
      return seen
    }
    try {
      const { ino, size } = fstatSync(fd)
      if (ino !== seen.ino || size < seen.read) seen = { ...nothing(), ino }
      if (size === seen.read) return seen
      const from = seen.read
      if (size - from > MAX_BYTES) throw tooLarge(path, size)
      const text = textFrom(fd, from, size - from)
      const end = text.lastIndexOf(NEWLINE)
      if (end < 0) return seen
      // Another reading may begin while this one pauses: it gets a view of its own.
      const next = { ...seen, waiting: new Map(seen.waiting), finished: new Map(seen.finished) }
      let count = 0
      for (const line of text.subarray(0, end).toString("utf8").split("\n")) {
        if (line.trim() !== "") take(next, line)
        if (++count % LINES_PER_PIECE === 0) yield
      }
      next.read = from + end + 1
      seen = next
      return seen
    } catch (error) {
      throw explainSystemError(error, "read the queue", path)
    } finally {
      closeSync(fd)
    }
  }

  return {
    path,
    readOn,
    size: (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    /** Synced where somebody relies on it. False where the file was replaced meanwhile: then it has to be added again. */
    append(value: WaitingCommand | CommandOutcome, isSynced: boolean): boolean {
      try {
        const fd = openSync(path, "a")
        try {
          writeWhole(fd, `\n${lineOf(value)}`)
          if (isSynced) {
            fsyncSync(fd)
            // The file may be new, or shortened: its name has to be durable, too.
            syncFolder(dirname(path))
          }
          return fstatSync(fd).ino === statSync(path, { throwIfNoEntry: false })?.ino
        } finally {
          closeSync(fd)
        }
      } catch (error) {
        throw explainSystemError(error, "write to the queue", path)
      }
    },
    /** The same without all but the newest finished ones, without making others wait for the disk. */
    async shorten({ waiting, finished }: QueueContents, kept: number): Promise<void> {
      const newest = [...finished.values()].slice(-kept)
      const lines = [...newest.flatMap(({ command, outcome }) => [command, outcome]), ...waiting.values()]
      const temp = tempNameFor(path)
      try {
        await writeNewFile(temp, lines.map(lineOf).join(""))
        renameSync(temp, path)
      } catch (error) {
        rmSync(temp, { force: true })
        throw explainSystemError(error, "shorten the queue", path)
      }
    },
  }
}

interface Seen extends QueueContents {
  waiting: Map<string, WaitingCommand>
  finished: Map<string, FinishedCommand>
  ino: number
  /** In bytes: up to the end of the last whole line. */
  read: number
}

function nothing(): Seen {
  return { waiting: new Map(), finished: new Map(), strange: 0, ino: 0, read: 0 }
}

function take(seen: Seen, line: string): void {
  const value = parsed(line)
  // Whoever writes or shows it again would fail at that.
  if (isNestedDeeper(value, MAX_DEPTH)) {
    seen.strange++
    return
  }
  const command = waitingLine.safeParse(value).data
  if (command !== undefined && !seen.waiting.has(command.id) && !seen.finished.has(command.id)) {
    seen.waiting.set(command.id, command)
    return
  }
  const outcome = outcomeLine.safeParse(value).data
  const done = outcome && seen.waiting.get(outcome.done)
  if (outcome === undefined || done === undefined) {
    seen.strange++
    return
  }
  seen.waiting.delete(outcome.done)
  seen.finished.set(outcome.done, { command: done, outcome })
}

function isNestedDeeper(value: unknown, than: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return than === 0 || Object.values(value).some((each) => isNestedDeeper(each, than - 1))
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(maskAll(value))}\n`
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // Torn by a crash, or not one of ours: counted as strange.
  }
}

function openToRead(path: string): number | undefined {
  try {
    return openSync(path, "r")
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined
    throw explainSystemError(error, "read the queue", path)
  }
}

function textFrom(fd: number, start: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  let got = 0
  while (got < length) {
    const count = readSync(fd, buffer, got, length - got, start + got)
    if (count === 0) break // Shortened meanwhile.
    got += count
  }
  return buffer.subarray(0, got)
}

function tooLarge(path: string, size: number): HiveError {
  return new HiveError({
    code: "invalid_record",
    what: "The queue was not read.",
    why: `The file has ${size} bytes: no queue of ours gets that long.`,
    use_instead: `Move ${path} away, then try again.`,
    evidence: path,
  })
}

const NEWLINE = 10
// Several times what the queue takes.
const MAX_BYTES = 64 * 1024 * 1024
const LINES_PER_PIECE = 50
// A command of ours has three.
const MAX_DEPTH = 40
