import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { findRepository, linkedWorktrees, type Repository, upwards } from "../shared/git-folders.ts"
import { hasHive } from "../store/files/layout.ts"
import { isOwnHive } from "../store/older-tool.ts"

/** Where the hive of a folder is, and which files it is about. */
export interface HivePlace {
  /** The folder that holds `.hivemind/`, or will after the first write. */
  home: string
  /** Where files, documents, commands and git are: the top of the worktree; without git, `home`. */
  dir: string
}

export interface Located extends HivePlace {
  repository: { gitDir: string; commonDir: string } | null
  /** Other folders of the same repository with a hive: nobody reads those from here. */
  nested: string[]
}

/**
 * Finds the hive of a folder. A repository has one, in its main worktree, for all its worktrees and branches; a bare one
 * has it in its own folder. A hive that was made elsewhere in the repository goes on as long as there is none at that
 * place; the files of a tool before HiveMind are none. Without a repository it is the nearest one upwards. Reads a few small files, writes nothing, never throws.
 */
export function locateHive(from: string): Located {
  const given = resolve(from)
  const start = real(given)
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
  // Where nothing says where the main worktree is, worktrees beside it have put the hive into the shared folder.
  const shared = [main, ...(folders === null ? [] : [folders.commonDir])]
  const atItsPlace = shared.find(hasHive)
  const older = atItsPlace === undefined ? below.find(isOwnHive) : undefined
  const home = atItsPlace ?? older ?? main
  const linked = folders === null ? [] : linkedWorktrees(folders.commonDir)
  const others = new Set([...shared, ...below, ...linked].map(real))
  return {
    home,
    dir: older ?? top,
    repository: folders,
    nested: [...others].filter((folder) => folder !== real(home) && isOwnHive(folder)),
  }
}

/** As the caller spells it: other paths of a call start the same way, and are compared as text. */
function spelled(given: string, path: string): string {
  return [...upwards(given)].find((folder) => folder === path || real(folder) === path) ?? path
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // Not there yet, a loop of links, or not for us to see.
  }
}
