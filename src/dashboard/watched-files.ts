import { join } from "node:path"
import { readdirSync, statSync } from "../store/files/hive-fs.ts"
import type { HivePaths } from "../store/files/layout.ts"

/** The files that change whenever data of the dashboard changes. Old files of the log and of usage never change. */
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
