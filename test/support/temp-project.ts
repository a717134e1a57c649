import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

export async function tempProject(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "hivemind-test-"))
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  return dir
}
