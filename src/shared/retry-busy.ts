import { systemCode } from "./system-error.ts"

/** Retries for half a second on Windows, where a virus scanner or a reader may hold a file for a moment. */
export function retryBusy<T>(work: () => T, platform: NodeJS.Platform = process.platform): T {
  for (let wait = 1; ; wait *= 2) {
    try {
      return work()
    } catch (error) {
      const isBusy = platform === "win32" && BUSY.has(systemCode(error) ?? "")
      if (!isBusy || wait > MAX_WAIT_MS) throw error
      Atomics.wait(PAUSE, 0, 0, wait)
    }
  }
}

const BUSY = new Set(["EPERM", "EACCES", "EBUSY"])
const MAX_WAIT_MS = 256
const PAUSE = new Int32Array(new SharedArrayBuffer(4))
