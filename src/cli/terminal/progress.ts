import { duration } from "../../shared/time.ts"
import type { CliIo } from "./io.ts"
import { ERASE_LINE } from "./output.ts"

export interface ProgressLine {
  show(text: string): void
  /** Rewrites the line at most ten times a second, for a text that changes with every record. */
  showOften(text: string): void
  clear(): void
}

/** One line on standard error that is rewritten in place; nothing if that is no terminal. */
export function progressLine({ stderr }: CliIo): ProgressLine {
  let shownAt = Number.NEGATIVE_INFINITY
  const show = (text: string) => {
    if (stderr.isTTY !== true) return
    stderr.write(`${ERASE_LINE}${text}`)
    shownAt = performance.now()
  }
  return {
    show,
    showOften: (text) => {
      if (performance.now() - shownAt >= EVERY_MS) show(text)
    },
    clear: () => {
      if (shownAt > 0) stderr.write(ERASE_LINE)
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** Shows how long a job has been running. */
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

/** Shows how many files of a scan have been read. */
export async function withFileProgress<T>(
  io: CliIo,
  job: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const line = progressLine(io)
  return job((done, total) => line.showOften(`Reading file ${done} of ${total}`)).finally(line.clear)
}

const EVERY_MS = 100
