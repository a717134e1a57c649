import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemCode } from "../../shared/system-error.ts"

/** Work with a folder among the temporary ones, which is gone afterwards. */
export async function withScratchFolder<T>(
  content: {
    folders: readonly string[] /** A file of that name, copied if there is one. */
    copies: Record<string, string>
  },
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), "hivemind-"))
  try {
    for (const name of content.folders) await mkdir(join(scratch, name))
    for (const [name, from] of Object.entries(content.copies)) await copyIfThere(from, join(scratch, name))
    return await work(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to)
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error
  }
}
