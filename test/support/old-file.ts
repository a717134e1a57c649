import { statSync } from "node:fs"
import { expect } from "vitest"

/**
 * Waits until a session or a scan that begins now is younger than the file. File systems round times down by up to
 * 10 ms, and HiveMind allows for that: so 10 ms are not enough.
 */
export async function untilFileIsOlder(path: string): Promise<void> {
  const { birthtimeMs, ctimeMs } = statSync(path)
  const made = Math.max(birthtimeMs, ctimeMs)
  await expect.poll(() => Date.now(), { interval: 5, timeout: 60_000 }).toBeGreaterThan(made + 20)
}
