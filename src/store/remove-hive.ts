import { join } from "node:path"
import { existsSync, fileSize, listFolder, renameSync, rmdirSync, rmSync } from "./files/hive-fs.ts"
import { type HivePaths, hivePaths, IGNORE_ALL } from "./files/layout.ts"
import { readText, removeText } from "./files/text-file.ts"
import { createAtomic, sweepTempFiles, writeAtomic } from "./files/write-file.ts"
import { underLock } from "./lock.ts"
import { type BeforeHive, readBefore, SHARED } from "./older-tool.ts"
import { manifestNumbers, removeManifest } from "./snapshot/manifest.ts"

/** Restores the `.gitignore` that an older tool had, and makes git ignore only HiveMind's own files. */
export function putGitignoreBack(home: string): void {
  const before = readBefore(home)
  if (before === undefined) return
  const paths = hivePaths(home)
  restoreGitignore(paths, before)
  if (readText(paths.gitignore) === IGNORE_ALL) return
  for (const [folder, text] of Object.entries(OWN_NAMES)) {
    const path = join(paths.root, folder, ".gitignore")
    if (existsSync(join(paths.root, folder)) && !existsSync(path)) createAtomic(path, text)
  }
}

function restoreGitignore({ root, gitignore }: HivePaths, before: BeforeHive): void {
  if (readText(gitignore) === IGNORE_ALL) {
    if (before.gitignore === null) removeText(gitignore)
    else writeAtomic(gitignore, before.gitignore)
  }
  for (const folder of listFolder(root)) {
    const path = join(root, folder, ".gitignore")
    const text = existsSync(path) ? readText(path) : undefined
    if (text !== undefined && (text === IGNORE_ALL || text === OWN_NAMES[folder])) removeText(path)
  }
}

/** Removes HiveMind's files from an older tool's `.hivemind/`. `isMarked`: the migration must not run again by itself. */
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
  // Removes temporary files of killed processes, even recent ones.
  sweepTempFiles(paths, Number.POSITIVE_INFINITY)
  // `before` is removed last: while it exists, an interrupted removal can be repeated.
  for (const path of [paths.manifest, paths.clone, paths.before]) removeText(path)
  for (const name of SHARED) if (!before.folders.includes(name)) removeEmpty(join(paths.root, name))
  removeEmpty(join(paths.root, "system"))
  removeEmpty(paths.root)
}

/** Deletes all records and everything derived from them. The configuration and `install.json` stay. */
export async function emptyHive(home: string): Promise<void> {
  const paths = hivePaths(home)
  // Repeats if another process has written meanwhile.
  while (existsSync(paths.log) && !(await underLock(paths, () => removeGraph(paths))));
  const { quarantine, orphans, state, sessions, project, dashboards, queue, clone, logDir } = paths
  for (const path of [quarantine, orphans, state, sessions, project, dashboards, queue, clone, logDir])
    rmSync(path, { recursive: true, force: true })
}

/** Returns false and removes nothing if another process writes meanwhile. */
function removeGraph(paths: HivePaths): boolean {
  if (existsSync(paths.log)) {
    const length = totalSize(paths.log)
    const gone = `${paths.log}-gone`
    // A process that writes after this creates a new log, or gets an error.
    renameSync(paths.log, gone)
    if (totalSize(gone) !== length && !existsSync(paths.log)) {
      renameSync(gone, paths.log)
      return false
    }
    rmSync(gone, { recursive: true })
  }
  for (const number of manifestNumbers(paths.graph)) removeManifest(paths.graph, number)
  for (const path of [paths.parts, paths.archive, paths.index]) rmSync(path, { recursive: true, force: true })
  return true
}

function totalSize(folder: string): number {
  return listFolder(folder).reduce((sum, name) => sum + fileSize(join(folder, name)), 0)
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && listFolder(folder).length === 0) rmdirSync(folder)
}

// `brain.json` without a number belongs to older tools.
const METRICS = /^(brain\.\d+\.json|counts\.\d+\.jsonl)$/

/** By folder of `.hivemind/`, the `.gitignore` text that keeps HiveMind's files out of git, but not an older tool's. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  system: IGNORE_ALL,
  templates: IGNORE_ALL,
  project: IGNORE_ALL,
  graph: lines("log/", "parts/", "archive/", "index/", "manifest.*.json", "quarantine.jsonl", ".lock"),
  state: lines(
    ...["injected/", "usage/", "history/", "sync.json", "brain.*.json", "counts.*.jsonl"],
    ...["refusals*.jsonl", "told*.jsonl", "starts*.jsonl"],
  ),
}

function lines(...names: string[]): string {
  return ["# HiveMind's own", ".gitignore", ...names, ""].join("\n")
}
