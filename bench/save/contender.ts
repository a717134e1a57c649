import { copyFile, open } from "node:fs/promises"
import type { SampleMem } from "../sample-mem.ts"

/** One way to save a mem, on a store that already holds some. */
export interface Contender {
  /** Saves them one after the other; the ms of each. */
  save: (mems: SampleMem[]) => Promise<number[]>
  stop: () => Promise<void>
}

export interface ResettableFile {
  reset: () => Promise<void>
  /** Has the disk take over what the contender left in the system's cache, or the next one would wait for it. */
  settle: () => Promise<void>
}

/**
 * A file that is put back to its first state before every batch: a contender that reads and rewrites the whole file
 * would get slower and slower, and be measured at more mems than the table says.
 */
export async function resettable(path: string): Promise<ResettableFile> {
  const original = `${path}.original`
  await copyFile(path, original)
  const settle = async () => {
    const file = await open(path, "r+")
    await file.sync()
    await file.close()
  }
  return {
    reset: async () => {
      await copyFile(original, path)
      await settle()
    },
    settle,
  }
}
