import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { findRepository, linkedWorktrees, type Repository, upwards } from "../shared/git-folders.ts"
import { hasHive } from "../store/files/layout.ts"
import { isOwnHive } from "../store/older-tool.ts"

/** The folder of a hive, and the folder of the files it is about. */
export interface HivePlace {
  /** The folder that holds `.hivemind/`, or will after the first write. */
  home: string
  /** Where files, documents, commands and git are: the top of the worktree; without git, `home`. */
  dir: string
}

export interface Located extends HivePlace {
  repository: { gitDir: string; commonDir: string } | null
  /** Other folders of the same repository with a hive, which are not read from here. */
  nested: string[]
}

/**
 * Finds the hive of a folder. A repository has one, in its main worktree, for all its worktrees and branches; a bare one
 * has it in its own folder. A hive elsewhere in the repository is used if there is none at that place; files of a tool
 * before HiveMind do not count. Without a repository it is the nearest one upwards. Reads a few small files, never throws.
 */
export function locateHive(from: string): Located {
  const given = resolve(from)
  const start = realPath(given)
  const repository = findRepository(start)
  const found = repository === undefined ? outside(start) : inside(start, repository)
  return { ...found, home: spelled(given, found.home), dir: spelled(given, found.dir) }
}

function outside(from: string): Located {
  const home = [...upwards(from)].find(hasHive) ?? from
  return { home, dir: home, repository: null, nested: [] }
}

function inside(from: string, { top, main, folders }: Repository): Located {
  const below = [...upwards(from, top)]
  // If git does not say where the main worktree is, linked worktrees have put the hive into the shared git folder.
  const shared = [main, ...(folders === null ? [] : [folders.commonDir])]
  const atItsPlace = shared.find(hasHive)
  const older = atItsPlace === undefined ? below.find(isOwnHive) : undefined
  const home = atItsPlace ?? older ?? main
  const linked = folders === null ? [] : linkedWorktrees(folders.commonDir)
  const others = new Set([...shared, ...below, ...linked].map(realPath))
  return {
    home,
    dir: older ?? top,
    repository: folders,
    nested: [...others].filter((folder) => folder !== realPath(home) && isOwnHive(folder)),
  }
}

/** A path spelled as the caller does: other paths of a call start the same way, and are compared as text. */
function spelled(given: string, path: string): string {
  return [...upwards(given)].find((folder) => folder === path || realPath(folder) === path) ?? path
}

/** With symbolic links resolved, or as it is given where there is nothing yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // Not there yet, a loop of links, or not for us to see.
  }
}
