import { HiveError } from "../shared/error.ts"
import { createQueue } from "../shared/queue.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"

export type Step = readonly [name: string, run: () => Promise<unknown>]

/**
 * Work that no answer waits for. Steps run one after another, in the order they came, so that one may build on
 * another; a step that fails is logged and the next one runs.
 */
export function background(log: Log) {
  const queue = createQueue()
  return (steps: readonly Step[]): void => {
    setImmediate(() => {
      for (const [name, run] of steps) {
        // A host that does not answer must not hold up everything that comes later.
        const bounded = async () => {
          if ((await withTimeout(run(), STEP_MS)).timedOut)
            log("error", `${name} took more than ${STEP_MS} ms`)
        }
        queue.run(bounded).catch((error: unknown) => {
          // The host ends: what is left is done after the next turn.
          const isOver = error instanceof HiveError && error.code === "closed"
          log(isOver ? "info" : "error", `${name} ${isOver ? "was left" : "failed"}`, error)
        })
      }
    })
  }
}

const STEP_MS = 30_000
