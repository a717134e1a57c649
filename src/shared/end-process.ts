import { spawnSync } from "node:child_process"

/** Ends a child process that was started `detached`, and all processes that it has started. Never throws. */
export function endProcessTree(
  pid: number | undefined,
  signal: NodeJS.Signals,
  platform: NodeJS.Platform = process.platform,
): void {
  if (pid === undefined) return
  try {
    if (hasGroups(platform)) process.kill(-pid, signal)
    // On Windows, ending a process leaves its children running; `taskkill /t` ends them too.
    else spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true })
  } catch {
    // The process has already ended.
  }
}

/** Whether the platform has process groups. On Windows, `detached` opens a console window instead. */
export function hasGroups(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== "win32"
}
