import { readFileSync } from "node:fs"

/** Times jobs, and how long each holds the event loop at most: a timer that comes late shows it. */
export function watchBlocks() {
  const found = {}
  const busiest = {}
  let block = 0
  let busy = 0
  let last = performance.now()
  let lastThread = threadTimes()
  const timer = setInterval(look, 1)

  function look() {
    const now = performance.now()
    const thread = threadTimes()
    const held = now - last - 1 - (thread.waited - lastThread.waited)
    block = Math.max(block, held)
    busy = Math.max(busy, thread.ran === undefined ? held : thread.ran - lastThread.ran)
    last = now
    lastThread = thread
  }

  return {
    /** `<name>`: the time it took; `<name>_block`: the longest time in one go. Of several jobs of a name, the worst. */
    found,
    /** The most processor time in one go, by name: without what it waited for the disk, or for the collector's other threads. */
    busiest,
    async timed(name, job) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      look()
      block = 0
      busy = 0
      const started = performance.now()
      const result = await job()
      const took = performance.now() - started
      await new Promise((resolve) => setTimeout(resolve, 5))
      look()
      found[name] = Math.max(found[name] ?? 0, took)
      found[`${name}_block`] = Math.max(found[`${name}_block`] ?? 0, block)
      busiest[name] = Math.max(busiest[name] ?? 0, busy)
      return result
    },
    stop: () => clearInterval(timer),
  }
}

/** How long this thread ran, and could have run but had no processor (ms): that is other processes' doing. Linux only. */
export function threadTimes() {
  try {
    const [ran, waited] = readFileSync("/proc/self/schedstat", "utf8").split(" ")
    return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 }
  } catch {
    return { ran: undefined, waited: 0 }
  }
}
