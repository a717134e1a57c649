import { spawnSync } from "node:child_process"

/** False for a zombie: a process that has ended stays listed until its parent asks for its exit code. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() !== "" && !stdout.startsWith("Z")
}
