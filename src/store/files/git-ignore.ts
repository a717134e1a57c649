import { join } from "node:path"
import { createAtomic, writeAtomic } from "./atomic-write.ts"
import { existsSync, readdirSync, readFileSync, statSync } from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

/**
 * Has git ignore all of `.hivemind/`. HiveMind 0.1 let git have most of it: such a `.gitignore` may come back with an old
 * branch. While git has that file it is left alone, because git refuses to switch branches over a change in it; each
 * folder then has a `.gitignore` of its own, which no branch brings or takes away. Returns what it wrote.
 */
export function ignoreInGit(paths: HivePaths, isInGit: () => boolean): string[] {
  const text = textOf(paths.gitignore)
  if (text === IGNORE_ALL) return []
  if (text === undefined) return createAtomic(paths.gitignore, IGNORE_ALL) ? [paths.gitignore] : []
  if (!isInGit()) {
    writeAtomic(paths.gitignore, IGNORE_ALL)
    return [paths.gitignore]
  }
  return readdirSync(paths.root).flatMap((name) => {
    const path = join(paths.root, name, ".gitignore")
    return statSync(join(paths.root, name)).isDirectory() &&
      !existsSync(path) &&
      createAtomic(path, IGNORE_ALL)
      ? [path]
      : []
  })
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // Not there; one that cannot be read is not replaced either.
  }
}

export const IGNORE_ALL = "*\n"
