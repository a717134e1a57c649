import { existsSync, readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { explainSystemError } from "../../shared/system-error.ts"
import { createAtomic, writeAtomic } from "./atomic-write.ts"
import { linkOutside, refuseOutside } from "./outside.ts"

export const HIVE_FOLDER = ".hivemind"

/** Every path under `.hivemind/`, so that no other file spells one out. */
export function hivePaths(projectDir: string) {
  const root = join(projectDir, HIVE_FOLDER)
  return {
    root,
    config: join(root, "system", "config.json"),
    manifest: join(root, "system", "manifest.json"),
    install: join(root, "system", "install.json"),
    logDir: join(root, "system", "log"),
    graph: join(root, "graph"),
    lock: join(root, "graph", ".lock"),
    log: join(root, "graph", "log"),
    parts: join(root, "graph", "parts"),
    history: join(root, "graph", "history"),
    clone: join(root, "system", "clone.json"),
    archive: join(root, "graph", "archive"),
    orphans: join(root, "graph", "orphans.json"),
    state: join(root, "state"),
    injected: join(root, "state", "injected"),
    sessions: join(root, "sessions"),
    sessionArchive: join(root, "sessions", "archive"),
    compacted: join(root, "sessions", "archive", "compacted"),
    exports: join(root, "sessions", "archive", "exports"),
    sessionTemplate: join(root, "templates", "session.md"),
    gitignore: join(root, ".gitignore"),
    gitattributes: join(root, ".gitattributes"),
  }
}

export type HivePaths = ReturnType<typeof hivePaths>

/** Makes the folders, the `.gitignore` and the `.gitattributes`; leaves everything that is there alone. Returns what it made. */
export async function createLayout(projectDir: string): Promise<string[]> {
  const paths = hivePaths(projectDir)
  const made: string[] = []
  const outside = linkOutside(paths)
  if (outside !== undefined) refuseOutside(outside.link)
  try {
    for (const folder of [
      dirname(paths.config),
      paths.graph,
      paths.log,
      paths.parts,
      paths.state,
      paths.sessions,
    ]) {
      if (existsSync(folder)) continue
      await mkdir(folder, { recursive: true })
      made.push(folder)
    }
    for (const [path, text] of [
      [paths.gitignore, GITIGNORE],
      [paths.gitattributes, GITATTRIBUTES],
    ] as const) {
      if (!existsSync(path) && createAtomic(path, text)) made.push(path)
    }
  } catch (error) {
    throw explainSystemError(error, "set up .hivemind/", paths.root)
  }
  return made
}

/** Adds to the `.gitignore` of an older version what it lacks; a person's own lines stay. */
export function completeGitignore({ gitignore }: HivePaths): void {
  const text = existsSync(gitignore) ? readFileSync(gitignore, "utf8") : ""
  const there = new Set(text.split(/\r?\n/))
  const missing = GITIGNORE.split("\n").filter((line) => !there.has(line))
  if (missing.length > 0) writeAtomic(gitignore, `${text}${missing.map((line) => `${line}\n`).join("")}`)
}

/** True where HiveMind has been set up; a bare folder of that name does not count. */
export function hasHive(projectDir: string): boolean {
  return existsSync(hivePaths(projectDir).graph)
}

/** The nearest folder upwards that has been set up, or undefined. */
export function findProject(from: string): string | undefined {
  let dir = from
  for (;;) {
    if (hasHive(dir)) return dir
    const parent = dirname(dir)
    if (parent === dir) return undefined
    dir = parent
  }
}

// What changes with every turn, or holds a path of this machine, stays out of git; the graph goes in.
const GITIGNORE = `system/log/
system/install.json
system/clone.json
system/cmd_queue.jsonl
state/brain.*
state/counts.*
state/injected/
sessions/archive/exports/
graph/.lock*
graph/orphans.json
**/*.broken-*
**/*.hivemind-tmp-*
`

// A part of the graph has a checksum of its bytes: git must not change line ends in here.
const GITATTRIBUTES = "* -text\n"
