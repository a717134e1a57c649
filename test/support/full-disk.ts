import fs from "node:fs"
import { onTestFinished, vi } from "vitest"

/** Until the test ends, a file cannot be opened for writing: its disk is full. */
export function fullDiskFor(path: string): void {
  const open = fs.openSync
  const spy = vi.spyOn(fs, "openSync").mockImplementation((target, flags, mode) => {
    const isReading = flags === "r" || flags === undefined || (Number(flags) & fs.constants.O_CREAT) === 0
    if (target === path && !isReading)
      throw Object.assign(new Error(`ENOSPC: no space left on device, open '${path}'`), { code: "ENOSPC" })
    return open(target, flags, mode)
  })
  onTestFinished(() => spy.mockRestore())
}
