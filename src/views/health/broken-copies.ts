import { dirname, join, relative } from "node:path"
import { readdirSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"

/** Broken files that were moved out of the way and wait for a person, relative to `.hivemind/`. */
export function listBrokenCopies(project: string): string[] {
  const paths = hivePaths(project)
  const folders = [dirname(paths.manifest), paths.graph, paths.parts, paths.state, paths.sessions]
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.includes(".broken-"))
      .sort()
      .map((name) => relative(paths.root, join(folder, name))),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Not there, or not readable: then nothing was set aside that anyone could look at.
  }
}
