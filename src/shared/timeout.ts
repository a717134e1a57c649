export type Timed<T> = { timedOut: false; value: T } | { timedOut: true }

/** Waits at most `ms`. After a timeout the work continues, but its result is ignored. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<Timed<T>> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<Timed<T>>((resolve) => {
    timer = setTimeout(resolve, ms, { timedOut: true })
  })
  try {
    return await Promise.race([work.then((value): Timed<T> => ({ timedOut: false, value })), limit])
  } finally {
    clearTimeout(timer)
    work.catch(() => {}) // An error after the timeout is ignored too.
  }
}
