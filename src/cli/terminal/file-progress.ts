import type { CliIo } from "./io.ts"

/** How many files have been looked at, on a terminal; anything else sees nothing. */
export function fileProgress({ stderr }: CliIo) {
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(done: number, total: number): void {
      if (stderr.isTTY !== true || performance.now() - shownAt < EVERY_MS) return
      shownAt = performance.now()
      stderr.write(`\rLooking at ${done} of ${total} files`)
    },
    clear(): void {
      if (shownAt > 0) stderr.write("\r\u001b[K")
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

const EVERY_MS = 100
