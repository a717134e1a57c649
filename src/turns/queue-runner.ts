import { drain } from "../queue/queue.ts"
import { fileVersion } from "../shared/lenient-files.ts"
import { withTimeout } from "../shared/timeout.ts"
import { commandQueue } from "../store/command-queue.ts"
import type { HivePaths } from "../store/files/layout.ts"
import type { TurnInput } from "./between-turns.ts"

/** Applies queued commands before a turn and while the host is idle. Looking for new commands costs one `stat`. */
export function queueRunner({ hive, log, paths }: Pick<TurnInput, "hive" | "log"> & { paths: HivePaths }) {
  const queue = commandQueue(paths)
  let seen = ""
  let failedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  async function applyAll(): Promise<void> {
    const before = fileVersion(paths.queue)
    const { waiting } = await queue.readInSlices()
    if (waiting.size > 0) {
      const { applied, refused } = await drain(await hive())
      log("info", `commands of the queue: ${applied} applied, ${refused} refused`)
    } else seen = before
  }

  /** Never rejects: a failed write is tried again later. */
  function run(): Promise<void> {
    if (running !== undefined || fileVersion(paths.queue) === seen) return running ?? Promise.resolve()
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

  const timer = setInterval(() => void run(), 1000)
  timer.unref()
  return {
    async beforeTurn(): Promise<void> {
      await withTimeout(run(), 100)
    },
    close(): void {
      clearInterval(timer)
    },
  }
}

const RETRY_MS = 30_000
