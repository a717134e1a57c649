/** One job at a time, in the order asked for. A job that fails does not stop the next. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve()

  return {
    run<T>(job: () => Promise<T>): Promise<T> {
      const result = last.then(job)
      last = result.catch(() => {}) // The caller gets the error; the queue only needs to know that it is over.
      return result
    },
    /** Settles when all that was asked for so far is done. */
    idle: () => last,
  }
}
