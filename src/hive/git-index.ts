import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findRepository } from "../shared/git-folders.ts"
import { ignoreInGit } from "../store/files/git-ignore.ts"
import { HIVE_FOLDER, hivePaths } from "../store/files/layout.ts"
import { isOwnHive } from "../store/older-tool.ts"

/** Has git ignore the hive of that folder, if there is one: a tool before HiveMind may have let git see its files. */
export function keepOutOfGit(home: string): string[] {
  return isOwnHive(home) ? ignoreInGit(hivePaths(home), () => mayBeInGit(home)) : []
}

/**
 * Does git's index list files of the hive of that folder? Read without a git process, since a write waits for it. Where
 * the index is of a kind that is not read here, the answer is yes: then nothing of git's is touched.
 */
export function mayBeInGit(home: string): boolean {
  const gitDir = findRepository(home)?.folders?.gitDir
  if (gitDir === undefined) return false
  try {
    const index = readFileSync(join(gitDir, "index"))
    const isSplit = readdirSync(gitDir).some((name) => name.startsWith("sharedindex."))
    const isPlain = index.length > 8 && PLAIN_VERSIONS.has(index.readUInt32BE(4)) && !isSplit
    return !isPlain || index.includes(`${HIVE_FOLDER}/`)
  } catch {
    return false // Nothing has ever been added, or the repository is bare.
  }
}

// Version 4 has shortened paths.
const PLAIN_VERSIONS = new Set([2, 3])
