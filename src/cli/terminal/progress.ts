import { duration } from "../../shared/time.ts"
import type { CliIo } from "./io.ts"
import { ERASE_LINE } from "./output.ts"

/** One line on standard error that is rewritten in place. Nothing is shown if that is not a terminal. */
export function progressLine({ stderr }: CliIo) {
  let shownAt = Number.NEGATIVE_INFINITY
  const show = (text: string) => {
    if (stderr.isTTY !== true) return
    stderr.write(`${ERASE_LINE}${text}`)
    shownAt = performance.now()
  }
  return {
    show,
    /** Rewrites the line at most ten times a second, for a text that changes with every record. */
    showOften: (text: string) => {
      if (performance.now() - shownAt >= EVERY_MS) show(text)
    },
    clear: () => {
      if (shownAt > 0) stderr.write(ERASE_LINE)
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

export async function withProgress<T>(label: string, io: CliIo, job: () => Promise<T>): Promise<T> {
  const started = Date.now()
  const line = progressLine(io)
  const show = () => line.show(`${label} ${duration(Date.now() - started)}`)
  show()
  const timer = setInterval(show, 1000)
  return job().finally(() => {
    clearInterval(timer)
    line.clear()
  })
}

export async function withCount<T, Counts extends readonly number[]>(
  io: CliIo,
  text: (...counts: Counts) => string,
  job: (onProgress: (...counts: Counts) => void) => Promise<T>,
): Promise<T> {
  const line = progressLine(io)
  return job((...counts) => line.showOften(text(...counts))).finally(line.clear)
}

export const filesRead = (done: number, total: number) => `Reading file ${done} of ${total}`

const EVERY_MS = 100
