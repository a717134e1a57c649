import { readdir, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { TEMP_FILE } from "./atomic-write.ts"
import type { HivePaths } from "./layout.ts"

/** Removes temporary files that a crash in mid-write left behind. A young one may still be in use. */
export async function sweepTempFiles(paths: HivePaths, now: number): Promise<void> {
  const names = await readdir(paths.root, { recursive: true })
  for (const name of names) {
    if (!TEMP_FILE.test(name)) continue
    const path = join(paths.root, name)
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > YOUNG_MS) await unlink(path)
  }
}

const YOUNG_MS = 60_000
