import { systemCode } from "./system-error.ts"

/** Whether a process of this machine is still there. One with our own id is not another one. */
export function isOtherAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // One of another user's is there, too.
    return systemCode(error) === "EPERM"
  }
}
