import { join } from "node:path"
import { type BeforeHive, readBefore, SHARED } from "./before-hive.ts"
import { sweepTempFiles, writeAtomic } from "./files/atomic-write.ts"
import { listFolder } from "./files/folder.ts"
import { IGNORE_ALL } from "./files/git-ignore.ts"
import { existsSync, renameSync, rmdirSync, rmSync, statSync } from "./files/hive-fs.ts"
import { type HivePaths, hivePaths } from "./files/layout.ts"
import { dropOwnIgnores, ignoreOwnNames } from "./files/own-names.ts"
import { readText, removeText } from "./files/text-file.ts"
import { underLock } from "./lock.ts"
import { manifestNumbers, removeManifest } from "./snapshot/manifest.ts"

/** Lets git see again what it saw before there was a hive, and nothing of what the hive still has. */
export function putGitignoreBack(home: string): void {
  const before = readBefore(home)
  if (before === undefined) return
  const paths = hivePaths(home)
  restoreGitignore(paths, before)
  if (readText(paths.gitignore) !== IGNORE_ALL) ignoreOwnNames(paths)
}

function restoreGitignore(paths: HivePaths, before: BeforeHive): void {
  if (readText(paths.gitignore) === IGNORE_ALL) {
    if (before.gitignore === null) removeText(paths.gitignore)
    else writeAtomic(paths.gitignore, before.gitignore)
  }
  // Where git has the file itself, each folder has one of its own.
  dropOwnIgnores(paths, listFolder(paths.root))
}

/**
 * Takes away what a hive has made in a folder that was another's before, and nothing else. The graph has to be empty.
 * `isMarked`: what was migrated and undone stays noted, so that it is not migrated again by itself.
 */
export async function removeHive(home: string, isMarked: boolean): Promise<void> {
  const paths = hivePaths(home)
  const before = readBefore(home)
  if (before === undefined) return
  if (existsSync(paths.graph) && !(await underLock(paths, () => removeGraph(paths)))) return
  restoreGitignore(paths, before)
  if (!isMarked) removeText(paths.migration)
  else if (readText(paths.gitignore) !== IGNORE_ALL)
    writeAtomic(join(paths.root, "system", ".gitignore"), IGNORE_ALL)
  for (const name of listFolder(paths.state)) if (METRICS.test(name)) removeText(join(paths.state, name))
  // Of runs that were killed, however young they are.
  sweepTempFiles(paths, Number.POSITIVE_INFINITY)
  // The last is what says that there is something to take away.
  for (const path of [paths.manifest, paths.clone, paths.before]) removeText(path)
  for (const name of SHARED) if (!before.folders.includes(name)) removeEmpty(join(paths.root, name))
  removeEmpty(join(paths.root, "system"))
  removeEmpty(paths.root)
}

/** Deletes every record and what was derived from them. The configuration stays, and so does what `init` has noted. */
export async function emptyHive(home: string): Promise<void> {
  const paths = hivePaths(home)
  // Where another process writes meanwhile, it is done again.
  while (existsSync(paths.log) && !(await underLock(paths, () => removeGraph(paths))));
  const { quarantine, orphans, state, sessions, project, dashboards, queue, clone, logDir } = paths
  for (const path of [quarantine, orphans, state, sessions, project, dashboards, queue, clone, logDir])
    rmSync(path, { recursive: true, force: true })
}

/** False where another process has written meanwhile: then everything stays. */
function removeGraph(paths: HivePaths): boolean {
  if (existsSync(paths.log)) {
    const length = lengthOf(paths.log)
    const gone = `${paths.log}-gone`
    // Whoever writes from now on makes a new log, or is told that it could not.
    renameSync(paths.log, gone)
    if (lengthOf(gone) !== length && !existsSync(paths.log)) {
      renameSync(gone, paths.log)
      return false
    }
    rmSync(gone, { recursive: true })
  }
  for (const number of manifestNumbers(paths.graph)) removeManifest(paths.graph, number)
  for (const path of [paths.parts, paths.archive, paths.index]) rmSync(path, { recursive: true, force: true })
  return true
}

function lengthOf(folder: string): number {
  return listFolder(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && listFolder(folder).length === 0) rmdirSync(folder)
}

// Of sessions that are no longer there. Older tools had a `brain.json` without a number.
const METRICS = /^(brain\.\d+\.json|counts\.\d+\.jsonl)$/
