import { spawnSync } from "node:child_process"

/**
 * Ends a child that was started `detached`, and everything that it has started. Never throws: it may have ended by itself.
 */
export function endProcessTree(
  pid: number | undefined,
  signal: NodeJS.Signals,
  platform: NodeJS.Platform = process.platform,
): void {
  if (pid === undefined) return
  try {
    if (hasGroups(platform)) process.kill(-pid, signal)
    // Ending a process there leaves its children running.
    else spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true })
  } catch {
    // It has just ended by itself.
  }
}

/** Windows has no process groups: there, a `detached` child gets a console window instead. */
export function hasGroups(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== "win32"
}
