// Releases hosts and folders if a test worker ends without its `finally` blocks: a timeout, Ctrl-C, a killed runner.
const held = new Set<() => void>()
const SIGNALS = ["SIGTERM", "SIGINT"] as const

/** Runs `release` (synchronous) when this process ends, unless the returned function was called before. */
export function releaseOnExit(release: () => void): () => void {
  if (held.size === 0) watch()
  held.add(release)
  return () => {
    held.delete(release)
    if (held.size === 0) unwatch()
  }
}

function watch(): void {
  process.on("exit", releaseAll)
  process.on("disconnect", onDisconnect)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

function unwatch(): void {
  process.off("exit", releaseAll)
  process.off("disconnect", onDisconnect)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

function releaseAll(): void {
  for (const release of held) {
    try {
      release()
    } catch (cause) {
      process.stderr.write(`could not release a test's resource: ${String(cause)}\n`)
    }
  }
  held.clear()
  unwatch()
}

// Node emits no "exit" for a signal. Without the handler the same signal ends the process.
function onSignal(signal: NodeJS.Signals): void {
  releaseAll()
  process.kill(process.pid, signal)
}

// The runner is gone, but its worker would go on until the test ends.
function onDisconnect(): void {
  process.exit(1)
}
