import { readFileSync } from "node:fs"

/** Times jobs, and how long each holds the event loop at most: a timer that comes late shows it. */
export function watchBlocks() {
  const found = {}
  let block = 0
  let last = performance.now()
  let lastWait = waitedForProcessor()
  const timer = setInterval(look, 1)

  function look() {
    const now = performance.now()
    const wait = waitedForProcessor()
    block = Math.max(block, now - last - 1 - (wait - lastWait))
    last = now
    lastWait = wait
  }

  return {
    /** `<name>`: the time it took; `<name>_block`: the longest time in one go. Of several jobs of a name, the worst. */
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

/** How long this thread could have run and had no processor (ms): that is other processes' doing. Known on Linux only. */
function waitedForProcessor() {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}
