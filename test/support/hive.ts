import type { Hive } from "../../src/hive/hive.ts"
import { type Config, defaultConfig } from "../../src/schemas/config.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { openMemoryStore } from "./memory-store.ts"
import { countingSource } from "./records.ts"

/** A hive in memory, with a clock and ids that are the same in every run. */
export function memoryHive(
  config: Partial<Config> = {},
): Hive & { source: ReturnType<typeof countingSource> } {
  const source = countingSource()
  return {
    // Nothing can be written there, not even by root.
    home: "/dev/null/nowhere",
    dir: "/dev/null/nowhere",
    branch: () => null,
    endSession: async () => {},
    startSession: async () => "ses_new",
    usage: usageFile(hivePaths("/dev/null/nowhere")),
    store: openMemoryStore(source),
    source,
    config: { ...defaultConfig, ...config },
  }
}
