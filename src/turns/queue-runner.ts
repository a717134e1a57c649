import type { Hive } from "../hive/hive.ts"
import { drain } from "../queue/queue.ts"
import { withTimeout } from "../shared/timeout.ts"
import { commandQueue } from "../store/command-queue.ts"
import { statSync } from "../store/files/hive-fs.ts"
import type { HivePaths } from "../store/files/layout.ts"
import type { Log } from "../store/files/log-file.ts"

export interface QueueRunnerInput {
  hive: () => Promise<Hive>
  paths: HivePaths
  log: Log
}

/** Applies queued commands: before a turn, and while the host is idle. Without new commands that costs one stat. */
export function queueRunner({ hive, paths, log }: QueueRunnerInput) {
  const queue = commandQueue(paths)
  let seen = ""
  let failedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  async function applyAll(): Promise<void> {
    for (;;) {
      const before = signOf(paths.queue)
      const { waiting } = await queue.readInSlices()
      if (waiting.size === 0) {
        seen = before
        return
      }
      const { applied, refused } = await drain(await hive())
      // Another process was faster or is applying them: the next look tells.
      if (applied + refused === 0) return
      log("info", `commands of the queue: ${applied} applied, ${refused} refused`)
    }
  }

  /** Never rejects: after a failed write it retries later. */
  function run(): Promise<void> {
    if (running !== undefined || signOf(paths.queue) === seen) return running ?? Promise.resolve()
    if (performance.now() - failedAt < RETRY_MS) return Promise.resolve()
    running = applyAll()
      .catch((error: unknown) => {
        failedAt = performance.now()
        log("error", "the queue was not applied", error)
      })
      .finally(() => {
        running = undefined
      })
    return running
  }

  // Do not keep the process alive.
  const timer = setInterval(() => void run(), LOOK_MS)
  timer.unref()
  return {
    /** Waits a moment for it; the rest goes on beside the turn. */
    async beforeTurn(): Promise<void> {
      await withTimeout(run(), TURN_MS)
    },
    close(): void {
      clearInterval(timer)
    },
  }
}

/** Changes with every write; "" without a file. */
function signOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat === undefined ? "" : `${stat.ino}:${stat.size}:${stat.mtimeMs}`
  } catch {
    return "" // A folder that cannot be read has no commands for us.
  }
}

const LOOK_MS = 1000
const TURN_MS = 100
const RETRY_MS = 30_000
