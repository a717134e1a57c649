import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { p50, p99, round } from "../figures.ts"

/** The state of a run at one moment. */
export interface Moment {
  turns: number
  host_memory_mb: number
  host_handles: number
  hive_mb: number
  log_mb: number
  snapshots_mb: number
}

export function measure(project: string, turns: number): Moment {
  const host = hostProcess()
  const memory = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${host}/status`, "utf8"))?.[1]
  return {
    turns,
    host_memory_mb: round(Number(memory) / 1024),
    host_handles: readdirSync(`/proc/${host}/fd`).length,
    hive_mb: folderMb(join(project, ".hivemind")),
    log_mb: folderMb(join(project, ".hivemind/graph/log")),
    snapshots_mb: folderMb(join(project, ".git/hivemind/snapshots")),
  }
}

/** Of the processes that this one has started, the one that takes the most memory: the host. */
function hostProcess(): number {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number) as [number, number, number])
  const below = (parent: number): typeof rows =>
    rows.filter(([, ppid]) => ppid === parent).flatMap((row) => [row, ...below(row[0])])
  const [host] = below(process.pid).sort((a, b) => b[2] - a[2])
  if (host === undefined) throw new Error("no host is running")
  return host[0]
}

function folderMb(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    // A file may go while this runs.
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    if (stat?.isFile()) bytes += stat.size
  }
  return round(bytes / 2 ** 20)
}

export interface HookTimes {
  calls: number
  p50_ms: number
  p99_ms: number
}

/** By hook: of the first third of its calls, and of the last. */
export function hookTimes(file: string): Record<string, { start: HookTimes; end: HookTimes }> {
  const times = new Map<string, number[]>()
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const [name = "", ms] = line.split(" ")
    times.set(name, [...(times.get(name) ?? []), Number(ms)])
  }
  const part = (values: number[]): HookTimes => ({
    calls: values.length,
    p50_ms: round(p50(values)),
    p99_ms: round(p99(values)),
  })
  const both = (values: number[]) => {
    const third = Math.ceil(values.length / 3)
    return { start: part(values.slice(0, third)), end: part(values.slice(-third)) }
  }
  return Object.fromEntries(
    HOOKS.flatMap((name) => {
      const values = times.get(name)
      return values === undefined ? [] : [[name, both(values)]]
    }),
  )
}

/** Those that a turn waits for. */
const HOOKS = [
  "chat.message",
  "experimental.chat.messages.transform",
  "experimental.chat.system.transform",
  "tool.execute.before",
  "tool.execute.after",
]
