import { join } from "node:path"
import { readdirSync, statSync } from "../store/files/hive-fs.ts"
import type { HivePaths } from "../store/files/layout.ts"

/** All files that a view is made of: the log, counters, notices, refusals, usage, folded records and the queue. */
export function watchedFiles(paths: HivePaths): string[] {
  return [
    ...filesIn(paths.log).slice(-2),
    ...filesIn(paths.state),
    ...filesIn(paths.usage).slice(-1),
    ...[paths.parts, paths.queue],
  ]
}

/** Differs after every write. */
export function fingerprint(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false })
      return found === undefined ? file : `${file} ${found.ino} ${found.size} ${found.mtimeMs}`
    })
    .join("|")
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
  } catch {
    return [] // The folder is made by the first write.
  }
}
