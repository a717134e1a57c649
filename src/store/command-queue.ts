import type { CommandOutcome, WaitingCommand } from "../schemas/queued-command.ts"
import { HiveError } from "../shared/error.ts"
import { runInSlices, runToEnd } from "../shared/slices.ts"
import { commandFile, type QueueContents } from "./files/command-file.ts"
import { existsSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { type HeldLock, takeLockAt, underLockAt } from "./lock.ts"

/**
 * The queue of commands. Whoever adds one holds the lock of the file for that moment, so that shortening it loses none;
 * whoever applies them holds another one for as long as that takes, so that nobody waits to add.
 */
export function commandQueue(paths: HivePaths) {
  const file = commandFile(paths)

  const underFileLock = <T>(job: () => Promise<T> | T) => underLockAt(paths.queueFileLock, job)

  return {
    /** Safe on disk when it returns. */
    async add(command: WaitingCommand): Promise<void> {
      if (!existsSync(paths.graph)) throw noHive(paths.root)
      if (file.size() > MAX_BYTES) throw tooMany(file.path)
      await underFileLock(() => {
        let isThere = false
        while (!isThere) isThere = file.append(command, true)
      })
    },
    /** In one go. */
    read: (): QueueContents => runToEnd(file.readOn()),
    readInSlices: (): Promise<QueueContents> => runInSlices(file.readOn()),
    /** For one process at a time. */
    takeDrainLock: (): Promise<HeldLock> => takeLockAt(paths.drainLock, DRAINER_STALE_MS),
    /** Under the lock of who drains. Not synced: what is lost of it, the log of the graph still tells. */
    finish(outcome: CommandOutcome): void {
      file.append(outcome, false)
    },
    /** Under the lock of who drains: old finished ones are let go once there are many, a waiting one never. */
    async shorten(): Promise<void> {
      if (file.size() < SHORTEN_BYTES) return
      await underFileLock(async () => {
        const contents = await runInSlices(file.readOn())
        if (contents.finished.size > KEPT) await file.shorten(contents, KEPT)
      })
    },
  }
}

export type CommandQueue = ReturnType<typeof commandQueue>

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

// While a command is applied its process answers; one that is stopped for so long has lost its place.
const DRAINER_STALE_MS = 20_000
const SHORTEN_BYTES = 512 * 1024
const KEPT = 300
const MAX_BYTES = 16 * 1024 * 1024
