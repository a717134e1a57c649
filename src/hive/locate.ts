import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { findRepository, linkedWorktrees, type Repository, upwards } from "../shared/git-folders.ts"
import { hasHive } from "../store/files/layout.ts"
import { isOwnHive } from "../store/older-tool.ts"

export interface HivePlace {
  /** The folder that contains `.hivemind/`, or in which it will be created. */
  home: string
  /** The top folder of the worktree, or `home` if there is no git repository. */
  dir: string
}

export interface Located extends HivePlace {
  repository: { gitDir: string; commonDir: string } | null
  /** Other folders of the repository with a `.hivemind/`, which is ignored. */
  nested: string[]
}

/**
 * Finds the hive of a folder: in the repository's main worktree or bare folder; else the nearest below the worktree's
 * top; outside of git, the nearest one in the parent folders. Never throws.
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
  // Also looks in git's shared folder, where the hive is if git does not name the main worktree.
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

/** Returns `path` with the links that the caller's path `given` has, because paths of calls are compared as text. */
function spelled(given: string, path: string): string {
  return [...upwards(given)].find((folder) => folder === path || realPath(folder) === path) ?? path
}

/** Resolves links. Returns the given path if it cannot be resolved. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // The path does not exist, cannot be read, or is a loop of links.
  }
}
