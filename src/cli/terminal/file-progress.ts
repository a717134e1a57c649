import type { CliIo } from "./io.ts"
import { ERASE_LINE } from "./output.ts"

/** How many files have been looked at, on a terminal; anything else sees nothing. */
export function fileProgress({ stderr }: CliIo) {
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(done: number, total: number): void {
      if (stderr.isTTY !== true || performance.now() - shownAt < EVERY_MS) return
      shownAt = performance.now()
      stderr.write(`${ERASE_LINE}Looking at ${done} of ${total} files`)
    },
    clear(): void {
      if (shownAt > 0) stderr.write(ERASE_LINE)
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

const EVERY_MS = 100
