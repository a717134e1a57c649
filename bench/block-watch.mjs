/** Times jobs, and how long each holds the event loop at most: a timer that comes late shows it. */
export function watchBlocks() {
  const found = {}
  let block = 0
  let last = performance.now()
  const timer = setInterval(look, 1)

  function look() {
    const now = performance.now()
    block = Math.max(block, now - last - 1)
    last = now
  }

  return {
    /** `<name>`: the time it took; `<name>_block`: the longest time in one go. */
    found,
    async timed(name, job) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      look()
      block = 0
      const started = performance.now()
      const result = await job()
      const took = performance.now() - started
      await new Promise((resolve) => setTimeout(resolve, 5))
      look()
      found[name] = Math.max(found[name] ?? 0, took)
      found[`${name}_block`] = Math.max(found[`${name}_block`] ?? 0, block)
      return result
    },
    stop: () => clearInterval(timer),
  }
}
