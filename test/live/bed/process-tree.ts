import { type ChildProcess, execFileSync } from "node:child_process"
import { once } from "node:events"

const STOP_TIMEOUT_MS = 5_000

/** Sends the signal, makes sure the process ends, and ends all it had started. */
export async function endTree(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.pid === undefined) return
  const started = descendants(child.pid)
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit")
    child.kill(signal)
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS)
    await gone
    clearTimeout(timer)
  }
  started.forEach(killNow)
}

/** The same at once and by force, for a process that is about to end itself. */
export function killTree(child: Pick<ChildProcess, "pid">): void {
  if (child.pid === undefined) return
  for (const pid of [...descendants(child.pid), child.pid]) killNow(pid)
}

// Each shell command of the host has its own process group and outlives it. Orphans lose their parent, so the list is made
// before the host ends.
function descendants(root: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  const childrenOf = (parent: number): number[] =>
    rows.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid, ...childrenOf(pid)] : []))
  return childrenOf(root)
}

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}
