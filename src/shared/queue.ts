/** Runs one job at a time, in the order of the calls. A job that fails does not stop the next. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve()

  return {
    run<T>(job: () => Promise<T>): Promise<T> {
      const result = last.then(job)
      last = result.catch(() => {}) // The job's caller gets the error, from `result`.
      return result
    },
    /** Resolves once all jobs that were queued before this call are done. */
    idle: () => last,
  }
}
