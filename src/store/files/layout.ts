import { dirname, join } from "node:path"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import { syncFolderAside } from "./folder.ts"
import { ignoreInGit } from "./git-ignore.ts"
import { existsSync, HIVE_FOLDER, mkdirSync, readdirSync } from "./hive-fs.ts"

export { HIVE_FOLDER }

/** Every path under `.hivemind/`, so that no other file spells one out. */
export function hivePaths(projectDir: string) {
  const root = join(projectDir, HIVE_FOLDER)
  return {
    root,
    config: join(root, "system", "config.json"),
    manifest: join(root, "system", "manifest.json"),
    install: join(root, "system", "install.json"),
    before: join(root, "system", "before.json"),
    migration: join(root, "system", "migration.json"),
    migrationLock: join(root, "system", "migration.lock"),
    queue: join(root, "system", "cmd_queue.jsonl"),
    queueFileLock: join(root, "system", "cmd_queue.lock"),
    drainLock: join(root, "system", "cmd_queue.drain.lock"),
    logDir: join(root, "system", "log"),
    graph: join(root, "graph"),
    lock: join(root, "graph", ".lock"),
    log: join(root, "graph", "log"),
    parts: join(root, "graph", "parts"),
    clone: join(root, "system", "clone.json"),
    archive: join(root, "graph", "archive"),
    index: join(root, "graph", "index"),
    orphans: join(root, "graph", "orphans.json"),
    quarantine: join(root, "graph", "quarantine.jsonl"),
    state: join(root, "state"),
    syncMark: join(root, "state", "sync.json"),
    injected: join(root, "state", "injected"),
    vocabularies: join(root, "state", "vocabularies.jsonl"),
    usage: join(root, "state", "usage"),
    refusals: join(root, "state", "refusals.jsonl"),
    olderRefusals: join(root, "state", "refusals.1.jsonl"),
    told: join(root, "state", "told.jsonl"),
    olderTold: join(root, "state", "told.1.jsonl"),
    sessions: join(root, "sessions"),
    sessionArchive: join(root, "sessions", "archive"),
    compacted: join(root, "sessions", "archive", "compacted"),
    splits: join(root, "sessions", "archive", "splits"),
    exports: join(root, "sessions", "archive", "exports"),
    project: join(root, "project"),
    dashboards: join(root, "artifacts", "dashboards"),
    sessionTemplate: join(root, "templates", "session.md"),
    gitignore: join(root, ".gitignore"),
  }
}

export type HivePaths = ReturnType<typeof hivePaths>

/** Makes the folders and keeps them out of git; leaves everything else that is there alone. Returns what it made. */
export async function createLayout(
  projectDir: string,
  isInGit: () => boolean = () => false,
): Promise<string[]> {
  const paths = hivePaths(projectDir)
  const made: string[] = []
  try {
    for (const folder of [
      dirname(paths.config),
      paths.graph,
      paths.log,
      paths.parts,
      paths.state,
      paths.sessions,
    ]) {
      const isThere = existsSync(folder)
      mkdirSync(folder)
      if (!isThere) made.push(folder)
    }
    made.push(...ignoreInGit(paths, isInGit))
    // A power cut must not take the folders away. Also where they exist: the process that made them may not be so far.
    for (const folder of [projectDir, paths.root, paths.graph]) await syncFolderAside(folder)
  } catch (error) {
    throw explainSystemError(error, "set up .hivemind/", paths.root)
  }
  return made
}

/** The error of a `.hivemind/` that this user may not look into; undefined where there is none, or it can be read. */
export function unreadableHive(projectDir: string): unknown {
  const { graph, root } = hivePaths(projectDir)
  try {
    readdirSync(graph)
    return undefined
  } catch (error) {
    const isDenied = systemCode(error) === "EACCES" || systemCode(error) === "EPERM"
    return isDenied ? explainSystemError(error, `read ${HIVE_FOLDER}/`, root) : undefined
  }
}

/** True where HiveMind has been set up; a bare folder of that name does not count. */
export function hasHive(projectDir: string): boolean {
  const { graph, root } = hivePaths(projectDir)
  return existsSync(graph) || (existsSync(root) && unreadableHive(projectDir) !== undefined)
}
