import { statSync } from "node:fs"
import { expect } from "vitest"

/** Waits until a session that begins now is younger than the file. HiveMind allows for times that are 10 ms too early. */
export async function untilFileIsOlder(path: string): Promise<void> {
  const { birthtimeMs, ctimeMs } = statSync(path)
  const made = Math.max(birthtimeMs, ctimeMs)
  await expect.poll(() => Date.now(), { interval: 5, timeout: 60_000 }).toBeGreaterThan(made + 20)
}
