/** The result, or undefined if it takes longer than that: the work goes on, but the user's turn does not wait for it. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
    work.catch(() => {}) // If it fails after we stopped waiting, there is nobody left to tell.
  }
}
