import type { CliIo } from "./io.ts"

/** How many records have been dealt with, on a terminal; anything else sees nothing. */
export function recordProgress({ stderr }: CliIo) {
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(done: number, total?: number): void {
      if (stderr.isTTY !== true || performance.now() - shownAt < EVERY_MS) return
      shownAt = performance.now()
      stderr.write(`\r${done}${total === undefined ? "" : ` of ${total}`} records`)
    },
    clear(): void {
      if (shownAt > 0) stderr.write("\r\u001b[K")
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

const EVERY_MS = 100
