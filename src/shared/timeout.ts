export type Timed<T> = { timedOut: false; value: T } | { timedOut: true }

/** Waits no longer than that. After a timeout the work goes on, but nobody waits for it any more. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<Timed<T>> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<Timed<T>>((resolve) => {
    timer = setTimeout(resolve, ms, { timedOut: true })
  })
  try {
    return await Promise.race([work.then((value): Timed<T> => ({ timedOut: false, value })), limit])
  } finally {
    clearTimeout(timer)
    work.catch(() => {}) // If it fails after the timeout, nobody waits for it any more.
  }
}
