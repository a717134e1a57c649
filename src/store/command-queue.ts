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

export type QueueContents = Pick<Seen, "waiting" | "finished" | "strange">

/** The queue of commands, with a line per command and per outcome. A torn line does not damage its neighbours. */
export function commandQueue(paths: HivePaths) {
  const path = paths.queue
  let seen = nothingRead()

  const underFileLock = <T>(job: () => Promise<T> | T) => underLockAt(paths.queueFileLock, job)

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
      if (size - from > MAX_READ_BYTES)
        throw new HiveError({
          code: "invalid_record",
          what: "The queue was not read.",
          why: `The file has ${size} bytes: HiveMind never writes such a long queue.`,
          use_instead: `Move ${path} to another folder, then try again.`,
          evidence: path,
        })
      const buffer = Buffer.alloc(size - from)
      const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from))
      const end = bytes.lastIndexOf(NEWLINE)
      if (end < 0) return seen
      // Copies the maps, because another reader may change them during a pause.
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

  /** Returns false if another process has replaced the file meanwhile: the caller must append the line again. */
  function append(value: WaitingCommand | CommandOutcome, isSynced: boolean): boolean {
    try {
      return withFileSync(path, "a", (fd) => {
        writeWhole(fd, `\n${lineOf(value)}`)
        // Fsyncs the folder too, because the file may be new.
        if (isSynced) fsyncSync(fd)
        if (isSynced) syncFolder(dirname(path))
        return fstatSync(fd).ino === statSync(path, { throwIfNoEntry: false })?.ino
      })
    } catch (error) {
      throw explainSystemError(error, "write to the queue", path)
    }
  }

  return {
    /** Resolves once the command is on disk. */
    async add(command: WaitingCommand): Promise<void> {
      if (!existsSync(paths.graph))
        throw new HiveError({
          code: "no_project",
          what: "The command was not queued.",
          why: "HiveMind is not set up in this project.",
          use_instead: "Run `hivemind init` there first.",
          evidence: paths.root,
        })
      if (fileSize(path) > MAX_BYTES)
        throw new HiveError({
          code: "locked",
          what: "The command was not queued.",
          why: "Too many commands are waiting, and no HiveMind process has applied them.",
          use_instead: "Start OpenCode in this project or run `hivemind queue --apply`, then try again.",
          evidence: path,
        })
      await underFileLock(() => {
        while (!append(command, true));
      })
    },
    read: (): QueueContents => runToEnd(readOn()),
    readInSlices: (): Promise<QueueContents> => runInSlices(readOn()),
    takeDrainLock: (): Promise<HeldLock> => takeLockAt(paths.drainLock, DRAINER_STALE_MS),
    /** The caller must hold the drain lock. There is no fsync, because the graph's log has the outcome too. */
    finish(outcome: CommandOutcome): void {
      append(outcome, false)
    },
    /** Removes old finished commands, never waiting ones. The caller must hold the drain lock. */
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

type Seen = ReturnType<typeof nothingRead>

function nothingRead() {
  return {
    waiting: new Map<string, WaitingCommand>(),
    /** Finished commands, in the order in which they finished. */
    finished: new Map<string, { command: WaitingCommand; outcome: CommandOutcome }>(),
    /** How many lines are invalid: neither a new command nor the outcome of a waiting one. */
    strange: 0,
    ino: 0,
    /** How many bytes were read, up to the end of the last complete line. */
    read: 0,
  }
}

function takeLine(seen: Seen, line: string): void {
  const value = parseJson(line)
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

const NEWLINE = 10
const LINES_PER_PIECE = 50
// Commands have at most three levels. Deeper values of damaged files could overflow the stack.
const MAX_DEPTH = 40
// Another process may take over the drain lock if its owner has not renewed it for this long.
const DRAINER_STALE_MS = 20_000
const SHORTEN_BYTES = 512 * 1024
const KEPT = 300
const MAX_BYTES = 16 * 1024 * 1024
const MAX_READ_BYTES = 64 * 1024 * 1024
