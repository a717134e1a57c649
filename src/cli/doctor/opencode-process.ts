import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"

export interface ServerProcess {
  /** Settles when it listens, with its address; rejects when it ends before. */
  listening: Promise<string>
  /** The last lines it printed. */
  printed: () => string
  /** Ends it and everything it has started. */
  end: () => Promise<void>
}

/** `opencode serve` as a child that cannot outlive this process. */
export function startServer(
  binary: string,
  port: number,
  options: { cwd: string; env: Record<string, string | undefined> },
): ServerProcess {
  const args = ["serve", "--port", String(port), "--hostname", "127.0.0.1"]
  // A group of its own, so that all of it can be ended at once.
  const child = spawn(binary, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-MAX_OUTPUT)))
  }
  const printed = () => output.trim().split("\n").slice(-LAST_LINES).join("\n")
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const url = /listening on (http:\S+)\s/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("error", (cause) => reject(new Error(`it could not be run: ${cause.message}`)))
    child.once("exit", (code, signal) => reject(new Error(`it ended at once (${signal ?? code})`)))
  })
  // A caller that stopped waiting must not get an unhandled rejection later.
  listening.catch(() => {})
  return { listening, printed, end: endWith(child) }
}

function endWith(child: ChildProcess): () => Promise<void> {
  const onExit = () => killTree(child)
  const onSignal = (signal: NodeJS.Signals) => {
    killTree(child)
    stopWatching()
    process.kill(process.pid, signal)
  }
  const stopWatching = () => {
    process.off("exit", onExit)
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  process.on("exit", onExit)
  for (const signal of SIGNALS) process.on(signal, onSignal)

  return async () => {
    const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
    const started = child.pid === undefined ? [] : descendants(child.pid)
    if (isRunning) {
      const gone = once(child, "exit")
      child.kill("SIGTERM")
      const timer = setTimeout(() => killTree(child), STOP_TIMEOUT_MS)
      await gone
      clearTimeout(timer)
    }
    for (const pid of started) kill(pid)
    if (child.pid !== undefined) kill(-child.pid)
    stopWatching()
  }
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return
  for (const pid of [...descendants(child.pid), -child.pid, child.pid]) kill(pid)
}

/** Children that left the group; asked before the parent ends, since orphans lose it. */
function descendants(root: number): number[] {
  let table: string
  try {
    table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
  } catch {
    return [] // A small container or Windows has no `ps`; the group is all we know then.
  }
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    rows.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid, ...below(pid)] : []))
  return below(root)
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself: what was wanted.
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const STOP_TIMEOUT_MS = 3000
const MAX_OUTPUT = 100_000
const LAST_LINES = 5
