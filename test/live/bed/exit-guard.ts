// A test worker may end without any `finally` running: a test that timed out while it waited, Ctrl-C, a test
// runner that was killed. What is still held then (a host process, its folders) is released here.
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
      // One that fails must not keep the others from being released.
      process.stderr.write(`could not release a test's resource: ${String(cause)}\n`)
    }
  }
  held.clear()
  unwatch()
}

// Node does not run "exit" for a signal; with the handler gone, the same signal ends the process as it should.
function onSignal(signal: NodeJS.Signals): void {
  releaseAll()
  process.kill(process.pid, signal)
}

// The runner is gone, but a worker of vitest would live on until its test ends.
function onDisconnect(): void {
  process.exit(1)
}
