import { join } from "node:path"
import { readdirSync, statSync } from "../store/files/hive-fs.ts"
import type { HivePaths } from "../store/files/layout.ts"

/** The files to watch for changes of the hive. Of log and usage only the newest files, because older ones never change. */
export function watchedFiles(paths: HivePaths): string[] {
  return [
    ...filesIn(paths.log).slice(-2),
    ...filesIn(paths.state),
    ...filesIn(paths.usage).slice(-1),
    ...[paths.parts, paths.queue],
  ]
}

/** A text that differs after every write to one of the files. */
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
    return [] // The folder does not exist before the first write.
  }
}
