import { duration } from "../../shared/time.ts"
import type { CliIo } from "./io.ts"
import { ERASE_LINE } from "./output.ts"

/** Shows on a terminal that, and how long, something is under way; anything else sees nothing. */
export async function withProgress<T>(label: string, io: CliIo, job: () => Promise<T>): Promise<T> {
  if (io.stderr.isTTY !== true) return job()
  const started = Date.now()
  const show = () => io.stderr.write(`${ERASE_LINE}${label} ${duration(Date.now() - started)}`)
  show()
  const timer = setInterval(show, 1000)
  try {
    return await job()
  } finally {
    clearInterval(timer)
    io.stderr.write(ERASE_LINE)
  }
}
