import { execFileSync } from "node:child_process"
import { basename } from "node:path"

/** The names of the processes above this one, the nearest first; empty where they cannot be listed. */
export function ancestors(): string[] {
  const processes = new Map<number, { parent: number; name: string }>()
  for (const line of listProcesses().split("\n")) {
    const [, pid, parent, name = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    if (pid !== undefined) processes.set(Number(pid), { parent: Number(parent), name: basename(name.trim()) })
  }
  const names: string[] = []
  let at = processes.get(process.ppid)
  while (at !== undefined && names.length < MAX_DEPTH) {
    names.push(at.name)
    at = processes.get(at.parent)
  }
  return names
}

function listProcesses(): string {
  try {
    return execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8", timeout: 5000 })
  } catch {
    return "" // No such program (Windows, small containers): the environment has to do.
  }
}

const MAX_DEPTH = 64
