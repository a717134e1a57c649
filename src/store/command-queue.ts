import { closeSync, fstatSync, fsyncSync, readSync } from "node:fs"
import { dirname } from "node:path"
import { tryParse } from "../schemas/checked.ts"
import {
  type CommandOutcome,
  outcomeLine,
  type WaitingCommand,
  waitingLine,
} from "../schemas/queued-command.ts"
import { HiveError } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import { type Pausing, runInSlices, runToEnd } from "../shared/slices.ts"
import { explainSystemError } from "../shared/system-error.ts"
import { existsSync, fileSize, openIfThere, statSync, withFileSync, writeWhole } from "./files/hive-fs.ts"
import { parseJson } from "./files/json-lines.ts"
import type { HivePaths } from "./files/layout.ts"
import { replaceFile, syncFolder } from "./files/write-file.ts"
import { type HeldLock, takeLockAt, underLockAt } from "./lock.ts"

interface FinishedCommand {
  command: WaitingCommand
  outcome: CommandOutcome
}

export interface QueueContents {
  /** In the order they came. */
  waiting: ReadonlyMap<string, WaitingCommand>
  /** In the order they were finished. */
  finished: ReadonlyMap<string, FinishedCommand>
  /** How many lines are neither a command nor an outcome of one. They are skipped. */
  strange: number
}

/**
 * The commands that people give from outside of the host, `system/cmd_queue.jsonl`: a line for each, and one for its
 * outcome. Each line begins and ends with a newline, so that one torn by a crash spoils no other. One lock guards the
 * file, so that shortening it loses no new command; another one is held for as long as commands are applied.
 */
export function commandQueue(paths: HivePaths) {
  const path = paths.queue
  let seen = nothingRead()

  const underFileLock = <T>(job: () => Promise<T> | T) => underLockAt(paths.queueFileLock, job)

  /** Continues where the last reading ended. */
  function* readOn(): Pausing<QueueContents> {
    let fd: number | undefined
    try {
      fd = openIfThere(path)
      if (fd === undefined) {
        seen = nothingRead()
        return seen
      }
      const { ino, size } = fstatSync(fd)
      if (ino !== seen.ino || size < seen.read) seen = { ...nothingRead(), ino }
      if (size === seen.read) return seen
      const from = seen.read
      if (size - from > MAX_READ_BYTES) throw tooLarge(path, size)
      const bytes = readBytes(fd, from, size - from)
      const end = bytes.lastIndexOf(NEWLINE)
      if (end < 0) return seen
      // Another reading may begin while this one pauses: it gets maps of its own.
      const next = { ...seen, waiting: new Map(seen.waiting), finished: new Map(seen.finished) }
      let count = 0
      for (const line of bytes.subarray(0, end).toString("utf8").split("\n")) {
        if (line.trim() !== "") takeLine(next, line)
        if (++count % LINES_PER_PIECE === 0) yield
      }
      next.read = from + end + 1
      seen = next
      return seen
    } catch (error) {
      throw explainSystemError(error, "read the queue", path)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  /** False if the file was replaced meanwhile: then the line has to be added again. */
  function append(value: WaitingCommand | CommandOutcome, isSynced: boolean): boolean {
    try {
      return withFileSync(path, "a", (fd) => {
        writeWhole(fd, `\n${lineOf(value)}`)
        // The file may be new or shortened: its name has to be durable, too.
        if (isSynced) fsyncSync(fd)
        if (isSynced) syncFolder(dirname(path))
        return fstatSync(fd).ino === statSync(path, { throwIfNoEntry: false })?.ino
      })
    } catch (error) {
      throw explainSystemError(error, "write to the queue", path)
    }
  }

  return {
    /** Safe on disk when it returns. */
    async add(command: WaitingCommand): Promise<void> {
      if (!existsSync(paths.graph)) throw noHive(paths.root)
      if (fileSize(path) > MAX_BYTES) throw tooMany(path)
      await underFileLock(() => {
        while (!append(command, true));
      })
    },
    /** In one go. */
    read: (): QueueContents => runToEnd(readOn()),
    readInSlices: (): Promise<QueueContents> => runInSlices(readOn()),
    /** For one process at a time. */
    takeDrainLock: (): Promise<HeldLock> => takeLockAt(paths.drainLock, DRAINER_STALE_MS),
    /** Under the drain lock. Not fsynced: an outcome that is lost can still be told from the log of the graph. */
    finish(outcome: CommandOutcome): void {
      append(outcome, false)
    },
    /** Under the drain lock: removes old finished commands once there are many, never a waiting one. */
    async shorten(): Promise<void> {
      if (fileSize(path) < SHORTEN_BYTES) return
      await underFileLock(async () => {
        const { waiting, finished } = await runInSlices(readOn())
        if (finished.size <= KEPT) return
        const newest = [...finished.values()].slice(-KEPT)
        const lines = [...newest.flatMap(({ command, outcome }) => [command, outcome]), ...waiting.values()]
        await replaceFile(path, lines.map(lineOf).join("")).catch((error: unknown) => {
          throw explainSystemError(error, "shorten the queue", path)
        })
      })
    },
  }
}

export type CommandQueue = ReturnType<typeof commandQueue>

interface Seen extends QueueContents {
  waiting: Map<string, WaitingCommand>
  finished: Map<string, FinishedCommand>
  ino: number
  /** In bytes: up to the end of the last whole line. */
  read: number
}

function nothingRead(): Seen {
  return { waiting: new Map(), finished: new Map(), strange: 0, ino: 0, read: 0 }
}

function takeLine(seen: Seen, line: string): void {
  const value = parseJson(line)
  // A value that is nested too deeply cannot be written or shown again.
  if (isNestedDeeper(value, MAX_DEPTH)) {
    seen.strange++
    return
  }
  const command = tryParse(waitingLine, value).data
  if (command !== undefined && !seen.waiting.has(command.id) && !seen.finished.has(command.id)) {
    seen.waiting.set(command.id, command)
    return
  }
  const outcome = tryParse(outcomeLine, value).data
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

function readBytes(fd: number, start: number, length: number): Buffer {
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

function noHive(root: string): HiveError {
  return new HiveError({
    code: "no_project",
    what: "The command was not queued.",
    why: "HiveMind is not set up in this project.",
    use_instead: "Run `hivemind init` there first.",
    evidence: root,
  })
}

function tooMany(path: string): HiveError {
  return new HiveError({
    code: "locked",
    what: "The command was not queued.",
    why: "Too many commands wait: no running HiveMind process has applied them.",
    use_instead: "Start OpenCode in this project, or run `hivemind queue --apply`; then try again.",
    evidence: path,
  })
}

const NEWLINE = 10
const LINES_PER_PIECE = 50
// A command of ours has three.
const MAX_DEPTH = 40
// A process that is stopped for so long while it applies commands has lost the drain lock.
const DRAINER_STALE_MS = 20_000
const SHORTEN_BYTES = 512 * 1024
const KEPT = 300
const MAX_BYTES = 16 * 1024 * 1024
// Several times the queue's own limit.
const MAX_READ_BYTES = 64 * 1024 * 1024
