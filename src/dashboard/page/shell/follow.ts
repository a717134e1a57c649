import { signal } from "@preact/signals"
import { version } from "../data/answers.ts"
import { catchUp, settle } from "../data/commands.ts"
import { listen } from "../data/data.ts"

/** Whether the server reports changes as they happen. */
export const isLive = signal(false)

/** A page without any message still waits for its first one. */
export const wasLive = signal(false)

/** Renders the page again after a change. */
export function followProject(): void {
  let soon: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY
  listen({
    changed: () => {
      // An agent at work writes several entries in a row, and goes on: the first is shown at once, the rest at intervals.
      if (soon !== undefined) return
      const wait = Math.max(TOGETHER_MS, last + APART_MS - performance.now())
      soon = setTimeout(() => {
        soon = undefined
        last = performance.now()
        version.value = version.peek() + 1
      }, wait)
    },
    queued: settle,
    connected: (isThere) => {
      isLive.value = isThere
      if (!isThere) return
      wasLive.value = true
      void catchUp()
    },
  })
}

const TOGETHER_MS = 120
const APART_MS = 1000
