import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"

export interface ModelLimit {
  context: number
  output?: number
  input?: number
}

/** Context windows by `provider/model`. A slow host is awaited only once; after an error it is asked again. */
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
      isSlow = (await withTimeout(asked, 1000)).timedOut
      if (isSlow) log("info", "model window unknown: the host did not answer in time")
      return windows.get(model)
    },
  }
}

/** The window that HiveMind assumes. It is small enough that HiveMind sees 85 % or more before OpenCode compacts. */
export function windowOf({ context, output = 0, input }: ModelLimit): number {
  const answer = Math.min(output, LONGEST_ANSWER)
  const compactsAt = input === undefined ? context - answer : input - Math.min(answer, RESERVE)
  const most = Math.min(input ?? context, context)
  return compactsAt > 0 ? Math.min(most, Math.floor(compactsAt / FULL)) : most
}

const LONGEST_ANSWER = 32_000
const RESERVE = 20_000
const FULL = 0.85
