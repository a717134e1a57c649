import { join } from "node:path"
import { existsSync, readFileSync } from "./files/hive-fs.ts"
import { readJson } from "./files/json-lines.ts"
import { hasHive, hivePaths, ignoreInGit } from "./files/layout.ts"
import { createText, readText } from "./files/text-file.ts"
import { manifestNumbers } from "./snapshot/manifest.ts"

/** Files in `.hivemind/` by which older tools are recognised: HiveMind never writes them. */
const OLDER_FILES = [
  "sessions/manifest.json",
  "graph/trajectory.json",
  "graph/plans.json",
  "graph/tasks.json",
  "graph/mems.json",
  "graph/artifacts.json",
  "state/anchors.json",
  "state/brain.json",
]

/** True if an older tool wrote the file. HiveMind writes a `graph/orphans.json` too, so its content decides. */
export function isOfOlderTool(root: string, path: string): boolean {
  if (!path.endsWith(".json")) return false
  if (path !== join(root, "graph", "orphans.json")) return true
  const head = headOf(path)
  return /"version"\s*:/.test(head) || head.includes('"original_data"')
}

function headOf(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, HEAD_CHARS)
  } catch {
    return "" // Reading the whole file reports the error.
  }
}

/** True if HiveMind has used `.hivemind/`, false if only an older tool has. */
export function isOwnHive(projectDir: string): boolean {
  if (!hasHive(projectDir)) return false
  const paths = hivePaths(projectDir)
  if (existsSync(paths.log) || manifestNumbers(paths.graph).length > 0) return true
  return !OLDER_FILES.some((file) => existsSync(join(paths.root, file)))
}

/** Makes git ignore the hive, because an older tool's `.gitignore` may not. Returns the written files. */
export function keepOutOfGit(home: string): string[] {
  return isOwnHive(home) ? ignoreInGit(hivePaths(home)) : []
}

/** The state of `.hivemind/` before HiveMind first used it. */
export interface BeforeHive {
  gitignore: string | null
  folders: string[]
}

/** Saves the state before HiveMind's first change, so that undoing a migration can restore it. */
export function noteBefore(home: string): void {
  const { root, gitignore, before } = hivePaths(home)
  if (!existsSync(root) || existsSync(before) || isOwnHive(home)) return
  const folders = SHARED.filter((name) => existsSync(join(root, name)))
  const noted: BeforeHive = { gitignore: readText(gitignore) ?? null, folders }
  createText(before, `${JSON.stringify(noted)}\n`)
}

/** Returns undefined if HiveMind created `.hivemind/`, or if the file is damaged. Callers then remove nothing. */
export function readBefore(home: string): BeforeHive | undefined {
  const noted = readJson(hivePaths(home).before) as Partial<BeforeHive> | undefined
  if (typeof noted !== "object" || noted === null) return undefined
  const { gitignore, folders = [] } = noted
  return { gitignore: typeof gitignore === "string" ? gitignore : null, folders }
}

/** Folders that older tools use too. */
export const SHARED = ["graph", "state", "sessions"] as const
const HEAD_CHARS = 4096
