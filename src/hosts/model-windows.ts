import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"

export interface ModelLimit {
  context: number
  output?: number
  input?: number
}

/**
 * Context windows of the host's models, by `provider/model`. The host is asked once; without an answer the usual budget
 * holds, so a slow host is waited for once and a failing one is asked again.
 */
export function modelWindows(list: () => Promise<Iterable<readonly [string, ModelLimit]>>, log: Log) {
  const windows = new Map<string, number>()
  let asked: Promise<void> | undefined
  let isSlow = false

  async function ask(): Promise<void> {
    for (const [model, limit] of await list()) if (limit.context > 0) windows.set(model, windowOf(limit))
  }

  return {
    known: (model: string) => windows.get(model),
    async find(model: string): Promise<number | undefined> {
      if (windows.has(model) || isSlow) return windows.get(model)
      asked ??= ask().catch((error: unknown) => {
        asked = undefined
        log("error", "model window unknown", error)
      })
      isSlow = (await withTimeout(asked, LOOKUP_MS)).timedOut
      if (isSlow) log("info", "model window unknown: the host did not answer in time")
      return windows.get(model)
    },
  }
}

/**
 * How many tokens a session can fill. OpenCode compacts before the answer would have no room: at the input limit less a
 * reserve, else at the context less the longest answer. The window is set so that 85 % of it always lies before that
 * point; otherwise a session would be compacted before it ever counts as full.
 */
export function windowOf({ context, output = 0, input }: ModelLimit): number {
  const answer = Math.min(output, LONGEST_ANSWER)
  const compactsAt = input === undefined ? context - answer : input - Math.min(answer, RESERVE)
  const most = Math.min(input ?? context, context)
  return compactsAt > 0 ? Math.min(most, Math.floor(compactsAt / FULL)) : most
}

const LOOKUP_MS = 1000
const LONGEST_ANSWER = 32_000
const RESERVE = 20_000
const FULL = 0.85
