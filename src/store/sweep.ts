import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { TEMP_MARK } from "./atomic-write.ts"
import type { HivePaths } from "./layout.ts"

/** Removes temporary files that a crash in mid-write left behind. A young one may still be in use. */
export function sweepTempFiles(paths: HivePaths, now: number): void {
  try {
    for (const name of readdirSync(paths.root, { recursive: true, encoding: "utf8" })) {
      if (!name.includes(TEMP_MARK)) continue
      const path = join(paths.root, name)
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changed !== undefined && now - changed > YOUNG_MS) rmSync(path, { force: true })
    }
  } catch {
    // Other processes come and go in here. What is not swept now is swept next time; no write fails for it.
  }
}

const YOUNG_MS = 60_000
