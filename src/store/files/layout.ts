import { dirname, join } from "node:path"
import { trackedFiles } from "../../shared/git-tracked.ts"
import { explainSystemError, isDenied } from "../../shared/system-error.ts"
import { existsSync, HIVE_FOLDER, mkdirSync, readdirSync, readFileSync, statSync } from "./hive-fs.ts"
import { createAtomic, syncFolderAsync, writeAtomic } from "./write-file.ts"

export { HIVE_FOLDER }

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
    usage: join(root, "state", "usage"),
    history: join(root, "state", "history"),
    refusals: join(root, "state", "refusals.jsonl"),
    olderRefusals: join(root, "state", "refusals.1.jsonl"),
    told: join(root, "state", "told.jsonl"),
    olderTold: join(root, "state", "told.1.jsonl"),
    sessions: join(root, "sessions"),
    sessionArchive: join(root, "sessions", "archive"),
    splits: join(root, "sessions", "archive", "splits"),
    exports: join(root, "sessions", "archive", "exports"),
    project: join(root, "project"),
    dashboards: join(root, "artifacts", "dashboards"),
    sessionTemplate: join(root, "templates", "session.md"),
    gitignore: join(root, ".gitignore"),
  }
}

export type HivePaths = ReturnType<typeof hivePaths>

/** Creates the folders and keeps them out of git. Returns the new paths. */
export async function createLayout(projectDir: string): Promise<string[]> {
  const paths = hivePaths(projectDir)
  const made: string[] = []
  try {
    const { config, graph, log, parts, state, sessions } = paths
    for (const folder of [dirname(config), graph, log, parts, state, sessions]) {
      const isThere = existsSync(folder)
      mkdirSync(folder)
      if (!isThere) made.push(folder)
    }
    made.push(...ignoreInGit(paths))
    // Fsyncs existing folders too, because the process that created them may not have done so yet.
    for (const folder of [projectDir, paths.root, paths.graph]) await syncFolderAsync(folder)
  } catch (error) {
    throw explainSystemError(error, "set up .hivemind/", paths.root)
  }
  return made
}

/** Creates the layout with a configuration. Returns false if there is a configuration already. */
export async function createConfig(projectDir: string, text: string): Promise<boolean> {
  const { config } = hivePaths(projectDir)
  if (existsSync(config)) return false
  await createLayout(projectDir)
  return createAtomic(config, text)
}

/** Makes git ignore `.hivemind/`. A `.gitignore` there that git tracks stays: a change would block branch switches. */
export function ignoreInGit({ root, gitignore }: HivePaths): string[] {
  const text = gitignoreText(gitignore)
  if (text === IGNORE_ALL) return []
  if (text === undefined) return createAtomic(gitignore, IGNORE_ALL) ? [gitignore] : []
  if (!trackedFiles(root).includes(gitignore)) {
    writeAtomic(gitignore, IGNORE_ALL)
    return [gitignore]
  }
  return readdirSync(root)
    .filter((name) => statSync(join(root, name)).isDirectory())
    .map((name) => join(root, name, ".gitignore"))
    .filter((path) => !existsSync(path) && createAtomic(path, IGNORE_ALL))
}

function gitignoreText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // The file is missing or unreadable. An unreadable file is never replaced.
  }
}

export const IGNORE_ALL = "*\n"

/** Returns an error if this user may not read `.hivemind/`; else undefined. */
export function unreadableHive(projectDir: string): unknown {
  const { graph, root } = hivePaths(projectDir)
  try {
    readdirSync(graph)
    return undefined
  } catch (error) {
    return isDenied(error) ? explainSystemError(error, `read ${HIVE_FOLDER}/`, root) : undefined
  }
}

/** True if the project has a hive. An empty `.hivemind/` does not count. */
export function hasHive(projectDir: string): boolean {
  const { graph, root } = hivePaths(projectDir)
  return existsSync(graph) || (existsSync(root) && unreadableHive(projectDir) !== undefined)
}
